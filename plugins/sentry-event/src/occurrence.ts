import { type JsonObject, type JsonField, type JsonValue, isObject, asObject, readText, readValues } from "./json.ts";
import { readAnyText, type Trims } from "./trims.ts";
import { sentFrames } from "./stack/frame.ts";
import { limits } from "./limits.ts";
import { threadFrames } from "./stack/shown-stacks.ts";

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
  // From the newest, so that a list of 100,000 costs no more than a list of 50.
  let unread = sent.length;
  while (unread > 0 && exceptions.length < limits.count.exceptions) {
    const exception = readException(sent[--unread] ?? {});
    if (exception.type !== "" || exception.value !== "") exceptions.unshift(exception);
  }
  trims?.entries(exceptions.length, exceptions.length + unread);
  const [only] = exceptions;
  // Old SDKs send the stack outside of the exception.
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

/** A message with its parameters filled in, and before; `template` is empty when the two are equal. */
interface Message {
  readonly formatted: string;
  readonly template: string;
}

/**
 * The message of an event: `logentry`, otherwise `message`, each as text or as `{message, formatted, params}` (Java
 * sends `formatted` alone, Python's logging `message` and `params`). A text `message` fills in a missing `formatted`.
 */
function readMessage(event: JsonObject, trims?: Trims): Message {
  const message = event["message"];
  const entry = event["logentry"] ?? event["sentry.interfaces.Message"] ?? message;
  const place = trims?.at("message");
  if (!isObject(entry)) return { formatted: readPlain(entry, place) || readPlain(message, place), template: "" };
  const sent = readPlain(entry["formatted"], place) || (typeof message === "string" && readPlain(message, place));
  const template = readPlain(entry["message"], sent ? trims?.at("message_template") : place);
  const formatted = sent || (template && fillIn(template, entry["params"], place));
  return { formatted, template: template === formatted ? "" : template };
}

function readPlain(sent: JsonField, trims: Trims | undefined): string {
  return sent === false ? "" : readAnyText(sent, limits.text.message, trims);
}

/** The template with its parameters; the template itself if they do not fit. */
function fillIn(template: string, params: JsonField, trims: Trims | undefined): string {
  if (typeof params !== "object" || params === null) return template;
  const fill = template.includes("%") ? fillPercent : fillCurly;
  const filled = fill(template, new Parameters(params, trims?.at("params")));
  return filled === undefined ? template : readPlain(filled, trims);
}

// Python's own formatting: %s, %5d, %.2f, %(name)s; `%%` is a percent sign. Without its space flag, so that the text
// `100 % sure` has no parameter.
const PERCENT = /%(?:\((\w+)\))?[-#0+]*\d*(?:\.(\d{1,2}))?([a-zA-Z%])?/g;

function fillPercent(template: string, params: Parameters): string | undefined {
  let next = 0;
  let fits = true;
  const filled = template.replaceAll(PERCENT, (_, named?: string, precision?: string, conversion?: string) => {
    if (conversion === "%") return "%";
    const name = named ?? String(next++);
    const param = params.sent(name);
    if (param === undefined || conversion === undefined || !"sdiurfgexXoc".includes(conversion)) {
      fits = false;
      return "";
    }
    return conversion === "f" && typeof param === "number"
      ? param.toFixed(Number(precision ?? 6))
      : params.text(name, param);
  });
  return fits ? filled : undefined;
}

function fillCurly(template: string, params: Parameters): string | undefined {
  let next = 0;
  let fits = true;
  const filled = template.replaceAll(/\{(\w*)\}/g, (_, named: string) => {
    const name = named === "" ? String(next++) : named;
    const param = params.sent(name);
    if (param === undefined) fits = false;
    return param === undefined ? "" : params.text(name, param);
  });
  return fits ? filled : undefined;
}

/** The parameters of a message. Each is made text once: a template may name a large one thousands of times. */
class Parameters {
  readonly #params: JsonObject | JsonValue[];
  readonly #trims: Trims | undefined;
  readonly #texts = new Map<string, string>();

  constructor(params: JsonObject | JsonValue[], trims: Trims | undefined) {
    this.#params = params;
    this.#trims = trims;
  }

  sent(name: string): JsonField {
    if (Array.isArray(this.#params)) return this.#params[Number(name)];
    return Object.hasOwn(this.#params, name) ? this.#params[name] : undefined;
  }

  text(name: string, param: JsonValue): string {
    let text = this.#texts.get(name);
    if (text === undefined) {
      text = param === null ? "null" : readAnyText(param, limits.text.parameter, this.#trims?.at(name));
      this.#texts.set(name, text);
    }
    return text;
  }
}
