import type { JsonObject } from "./json.ts";
import { asObject } from "./json.ts";
import { readAnyText } from "./bag.ts";
import { sentFrames } from "./frame.ts";
import { limits } from "./limits.ts";
import type { Message } from "./message.ts";
import { readMessage } from "./message.ts";
import { readText } from "./text.ts";
import { readValues } from "./values.ts";

/** What an event reports, with frames and mechanisms still as they were sent. */
export interface Occurrence {
  /** The chain of exceptions, root cause first. Empty for messages. */
  readonly exceptions: SentException[];
  /** The stack that belongs to no exception. May be empty. */
  readonly frames: JsonObject[];
  readonly message: Message;
}

/** One exception of the chain. */
export interface SentException {
  readonly type: string;
  readonly value: string;
  readonly synthetic: boolean;
  readonly mechanism: JsonObject | undefined;
  readonly frames: JsonObject[];
  readonly sent: JsonObject;
}

/** What an event reports, in whichever of the shapes of section 5 its SDK sent it. */
export function readOccurrence(event: JsonObject): Occurrence {
  const message = readMessage(event);
  const eventFrames = sentFrames(event["stacktrace"] ?? event["sentry.interfaces.Stacktrace"]);
  const exceptions = readExceptions(event, eventFrames);
  if (isMessage(exceptions, message)) {
    return { exceptions: [], frames: exceptions.at(-1)?.frames ?? [], message };
  }
  return { exceptions, frames: eventFrames.length > 0 ? eventFrames : threadFrames(event), message };
}

/** The threads of an event as sent, at most 100. */
export function sentThreads(event: JsonObject): JsonObject[] {
  return readValues(event["threads"]).slice(0, limits.count.threads);
}

function readExceptions(event: JsonObject, eventFrames: JsonObject[]): SentException[] {
  const sent = readValues(event["exception"] ?? event["sentry.interfaces.Exception"]);
  const exceptions: SentException[] = [];
  // From the newest, so that a list of 100,000 costs no more than one of 50.
  for (let i = sent.length - 1; i >= 0 && exceptions.length < limits.count.exceptions; i--) {
    const exception = readException(sent[i] ?? {});
    if (exception.type !== "" || exception.value !== "") exceptions.unshift(exception);
  }
  const [only] = exceptions;
  // Old SDKs send the stack beside the exception.
  if (only && exceptions.length === 1 && only.frames.length === 0) return [{ ...only, frames: eventFrames }];
  return exceptions;
}

function readException(sent: JsonObject): SentException {
  const mechanism = asObject(sent["mechanism"]);
  return {
    type: readText(sent["type"], limits.text.exceptionType),
    value: readAnyText(sent["value"], limits.text.exceptionValue),
    synthetic: mechanism?.["synthetic"] === true,
    mechanism,
    frames: sentFrames(sent["stacktrace"] ?? sent["sentry.interfaces.Stacktrace"] ?? sent["raw_stacktrace"]),
    sent,
  };
}

/**
 * Whether the exceptions only carry the stack of a message: the SDKs of Node and browsers, version 11, send
 * captureMessage with an exception of no type that they mark as synthetic.
 */
function isMessage(exceptions: SentException[], message: Message): boolean {
  return (
    exceptions.length > 0 &&
    message.formatted !== "" &&
    exceptions.every((exception) => exception.type === "" && exception.synthetic)
  );
}

/** The stack of the crashed thread, else of the current one, else of the only one. */
function threadFrames(event: JsonObject): JsonObject[] {
  if (event["threads"] === undefined || event["threads"] === null) return [];
  const threads = sentThreads(event);
  const thread =
    threads.find((candidate) => candidate["crashed"] === true) ??
    threads.find((candidate) => candidate["current"] === true) ??
    (threads.length === 1 ? threads[0] : undefined);
  return sentFrames(thread?.["stacktrace"] ?? thread?.["raw_stacktrace"]);
}
