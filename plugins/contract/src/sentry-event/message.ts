import { readAnyText } from "./bag.ts";
import type { JsonField, JsonObject, JsonValue } from "./json.ts";
import { isObject } from "./json.ts";
import { limits } from "./limits.ts";

/** A message with its parameters filled in, and before; `template` is empty when it is the same text. */
export interface Message {
  readonly formatted: string;
  readonly template: string;
}

/**
 * The message of an event: `logentry`, or else `message`, each as text or as `{message, formatted, params}` (Java sends
 * `formatted` alone, Python's logging `message` and `params`). A text `message` fills in a missing `formatted`.
 */
export function readMessage(event: JsonObject): Message {
  const message = event["message"];
  const entry = event["logentry"] ?? event["sentry.interfaces.Message"] ?? message;
  if (!isObject(entry)) return { formatted: readPlain(entry) || readPlain(message), template: "" };
  const template = readPlain(entry["message"]);
  const formatted =
    readPlain(entry["formatted"]) ||
    (typeof message === "string" && readPlain(message)) ||
    (template && fillIn(template, entry["params"]));
  return { formatted, template: template === formatted ? "" : template };
}

function readPlain(sent: JsonField): string {
  return sent === false ? "" : readAnyText(sent, limits.text.message);
}

/** The template with its parameters; the template itself where they do not fit. */
function fillIn(template: string, params: JsonField): string {
  if (typeof params !== "object" || params === null) return template;
  const filled = template.includes("%") ? fillPercent(template, params) : fillCurly(template, params);
  return filled === undefined ? template : readPlain(filled);
}

// Python's own formatting: %s, %5d, %.2f, %(name)s; `%%` is a percent sign. Without its space flag, so that the text
// `100 % sure` has no parameter.
const PERCENT = /%(?:\((\w+)\))?[-#0+]*\d*(?:\.(\d{1,2}))?([a-zA-Z%])?/g;

function fillPercent(template: string, params: JsonObject | JsonValue[]): string | undefined {
  let next = 0;
  let fits = true;
  const filled = template.replaceAll(PERCENT, (_, name?: string, precision?: string, conversion?: string) => {
    if (conversion === "%") return "%";
    const param = parameter(params, name ?? String(next++));
    if (param === undefined || conversion === undefined || !"sdiurfgexXoc".includes(conversion)) {
      fits = false;
      return "";
    }
    return conversion === "f" && typeof param === "number" ? param.toFixed(Number(precision ?? 6)) : readParam(param);
  });
  return fits ? filled : undefined;
}

function fillCurly(template: string, params: JsonObject | JsonValue[]): string | undefined {
  let next = 0;
  let fits = true;
  const filled = template.replaceAll(/\{(\w*)\}/g, (_, name: string) => {
    const param = parameter(params, name === "" ? String(next++) : name);
    if (param === undefined) fits = false;
    return param === undefined ? "" : readParam(param);
  });
  return fits ? filled : undefined;
}

function parameter(params: JsonObject | JsonValue[], name: string): JsonField {
  if (Array.isArray(params)) return params[Number(name)];
  return Object.hasOwn(params, name) ? params[name] : undefined;
}

function readParam(param: JsonValue): string {
  return param === null ? "null" : readAnyText(param, limits.text.parameter);
}
