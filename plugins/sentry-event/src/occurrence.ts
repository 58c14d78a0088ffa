import type { JsonObject } from "./json/json.ts";
import { asObject } from "./json/json.ts";
import { readAnyText } from "./json/trimmed-json.ts";
import { sentFrames } from "./stack/frame.ts";
import { limits } from "./limits.ts";
import type { Message } from "./naming/message.ts";
import { readMessage } from "./naming/message.ts";
import { readText } from "./json/text.ts";
import { threadFrames } from "./stack/threads.ts";
import type { Trims } from "./json/trims.ts";
import { readValues } from "./json/values.ts";

/** The content of an event's report, with frames and mechanisms still as they were sent. */
export interface Occurrence {
  /** The chain of exceptions, root cause first. Empty for messages. */
  readonly exceptions: SentException[];
  /** The stack outside of exceptions. May be empty. */
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

/** The content of an event's report, in whichever of the shapes of section 5 its SDK sent it. */
export function readOccurrence(event: JsonObject, trims?: Trims): Occurrence {
  const message = readMessage(event, trims);
  const eventFrames = sentFrames(event["stacktrace"] ?? event["sentry.interfaces.Stacktrace"]);
  const exceptions = readExceptions(event, eventFrames, trims?.at("exceptions"));
  if (isMessage(exceptions, message)) {
    return { exceptions: [], frames: exceptions.at(-1)?.frames ?? [], message };
  }
  if (eventFrames.length === 0) return { exceptions, frames: threadFrames(event), message };
  return { exceptions, frames: exceptions[0]?.frames === eventFrames ? [] : eventFrames, message };
}

/** The type of an exception. May be empty. */
export function readType(sent: JsonObject, trims?: Trims): string {
  return readText(sent["type"], limits.text.exceptionType, trims);
}

/** The text of an exception. May be empty. */
export function readValue(sent: JsonObject, trims?: Trims): string {
  return readAnyText(sent["value"], limits.text.exceptionValue, trims);
}

function readExceptions(event: JsonObject, eventFrames: JsonObject[], trims: Trims | undefined): SentException[] {
  const sent = readValues(event["exception"] ?? event["sentry.interfaces.Exception"]);
  const exceptions: SentException[] = [];
  // From the newest, so that a list of 100,000 costs no more than one of 50.
  let unread = sent.length;
  while (unread > 0 && exceptions.length < limits.count.exceptions) {
    const exception = readException(sent[--unread] ?? {});
    if (exception.type !== "" || exception.value !== "") exceptions.unshift(exception);
  }
  trims?.entries(exceptions.length, exceptions.length + unread);
  const [only] = exceptions;
  // Old SDKs send the stack beside the exception.
  if (only && exceptions.length === 1 && only.frames.length === 0) return [{ ...only, frames: eventFrames }];
  return exceptions;
}

function readException(sent: JsonObject): SentException {
  const mechanism = asObject(sent["mechanism"]);
  return {
    type: readType(sent),
    value: readValue(sent),
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
