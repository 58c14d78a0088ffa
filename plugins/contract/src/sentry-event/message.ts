import { readAnyText } from "./bag.ts";
import type { JsonField, JsonObject, JsonValue } from "./json.ts";
import { isObject } from "./json.ts";
import { limits } from "./limits.ts";
import type { Trims } from "./trims.ts";

/** A message with its parameters filled in, and before; `template` is empty when it is the same text. */
export interface Message {
  readonly formatted: string;
  readonly template: string;
}

/**
 * The message of an event: `logentry`, or else `message`, each as text or as `{message, formatted, params}` (Java sends
 * `formatted` alone, Python's logging `message` and `params`). A text `message` fills in a missing `formatted`.
 */
export function readMessage(event: JsonObject, trims?: Trims): Message {
  const message = event["message"];
  const entry = event["logentry"] ?? event["sentry.interfaces.Message"] ?? message;
  const place = trims?.at("message");
  if (!isObject(entry)) return { formatted: readPlain(entry, place) || readPlain(message, place), template: "" };
  const told = readPlain(entry["formatted"], place) || (typeof message === "string" && readPlain(message, place));
  const template = readPlain(entry["message"], told ? trims?.at("message_template") : place);
  const formatted = told || (template && fillIn(template, entry["params"], place));
  return { formatted, template: template === formatted ? "" : template };
}

function readPlain(sent: JsonField, trims: Trims | undefined): string {
  return sent === false ? "" : readAnyText(sent, limits.text.message, trims);
}

/** The template with its parameters; the template itself where they do not fit. */
function fillIn(template: string, params: JsonField, trims: Trims | undefined): string {
  if (typeof params !== "object" || params === null) return template;
  const fill = template.includes("%") ? fillPercent : fillCurly;
  const filled = fill(template, params, trims?.at("params"));
  return filled === undefined ? template : readPlain(filled, trims);
}

// Python's own formatting: %s, %5d, %.2f, %(name)s; `%%` is a percent sign. Without its space flag, so that the text
// `100 % sure` has no parameter.
const PERCENT = /%(?:\((\w+)\))?[-#0+]*\d*(?:\.(\d{1,2}))?([a-zA-Z%])?/g;

function fillPercent(template: string, params: Params, trims: Trims | undefined): string | undefined {
  let next = 0;
  let fits = true;
  const filled = template.replaceAll(PERCENT, (_, named?: string, precision?: string, conversion?: string) => {
    if (conversion === "%") return "%";
    const name = named ?? String(next++);
    const param = parameter(params, name);
    if (param === undefined || conversion === undefined || !"sdiurfgexXoc".includes(conversion)) {
      fits = false;
      return "";
    }
    return conversion === "f" && typeof param === "number"
      ? param.toFixed(Number(precision ?? 6))
      : readParam(param, trims?.at(name));
  });
  return fits ? filled : undefined;
}

function fillCurly(template: string, params: Params, trims: Trims | undefined): string | undefined {
  let next = 0;
  let fits = true;
  const filled = template.replaceAll(/\{(\w*)\}/g, (_, named: string) => {
    const name = named === "" ? String(next++) : named;
    const param = parameter(params, name);
    if (param === undefined) fits = false;
    return param === undefined ? "" : readParam(param, trims?.at(name));
  });
  return fits ? filled : undefined;
}

type Params = JsonObject | JsonValue[];

function parameter(params: Params, name: string): JsonField {
  if (Array.isArray(params)) return params[Number(name)];
  return Object.hasOwn(params, name) ? params[name] : undefined;
}

function readParam(param: JsonValue, trims: Trims | undefined): string {
  return param === null ? "null" : readAnyText(param, limits.text.parameter, trims);
}
