import { readAnyText } from "../json/trimmed-json.ts";
import type { JsonField, JsonObject, JsonValue } from "../json/json.ts";
import { isObject } from "../json/json.ts";
import { limits } from "../limits.ts";
import type { Trims } from "../json/trims.ts";

/** A message with its parameters filled in, and before; `template` is empty when the two are equal. */
export interface Message {
  readonly formatted: string;
  readonly template: string;
}

/**
 * The message of an event: `logentry`, otherwise `message`, each as text or as `{message, formatted, params}` (Java
 * sends `formatted` alone, Python's logging `message` and `params`). A text `message` fills in a missing `formatted`.
 */
export function readMessage(event: JsonObject, trims?: Trims): Message {
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

/** The template with its parameters; the template itself where they do not fit. */
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
