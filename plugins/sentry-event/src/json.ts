import type { Event } from "@faultline/proto";

/** A JSON object, in the type that protobuf-es gives to `google.protobuf.Struct`. */
export type JsonObject = NonNullable<Event["contexts"]>;

/** Any JSON value. */
export type JsonValue = JsonObject[string];

/** The value of a key of a JSON object; null means absent everywhere (section 5). */
export type JsonField = JsonValue | undefined;

/** The value, if it is an object and not a list. */
export function asObject(value: JsonField): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** Whether the value is an object and not a list. */
export function isObject(value: JsonField): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The objects of a list that SDKs send bare (Go, Node) or as `{"values": [...]}` (the others); a lone object without
 * `values` is a list of one (section 5, "Values wrapper"). Entries that are not objects are left out.
 */
export function readValues(value: JsonField): JsonObject[] {
  if (Array.isArray(value)) return value.filter(isObject);
  if (!isObject(value)) return [];
  if (value["values"] !== undefined) return Array.isArray(value["values"]) ? value["values"].filter(isObject) : [];
  return Object.keys(value).length > 0 ? [value] : [];
}

/** Notes a cut text: how many characters are kept, and how many were sent. */
interface NotesCuts {
  characters(kept: number, sent: number): void;
}

/** The text, number or boolean as clean text of at most `max` characters; anything else as "". */
export function readText(value: JsonField, max: number, trims?: NotesCuts): string {
  if (typeof value === "string") return cleanText(value, max, trims);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** Text as it can be stored: at most `max` characters, no NUL (PostgreSQL refuses it), no lone surrogates (not UTF-8). */
export function cleanText(text: string, max: number, trims?: NotesCuts): string {
  const short = text.length > max ? cut(text, max, trims) : text;
  return (short.includes("\0") ? short.replaceAll("\0", "") : short).toWellFormed();
}

/** The first line of the text that is not blank. U+2028 and U+2029 end a line as well. */
export function firstLine(text: string): string {
  const start = text.trimStart();
  const end = start.search(/[\r\n\u2028\u2029]/);
  return (end < 0 ? start : start.slice(0, end)).trimEnd();
}

function cut(text: string, max: number, trims: NotesCuts | undefined): string {
  const end = max - 3;
  const splitsPair = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  const short = `${text.slice(0, splitsPair ? end - 1 : end)}...`;
  trims?.characters(short.length, text.length);
  return short;
}

/** The JSON of an event. Anything else is an event without fields: a service that reports over gRPC may send any payload, or none. */
export function parsedEvent(text: string): JsonObject {
  try {
    return asObject(JSON.parse(text)) ?? {};
  } catch {
    return {};
  }
}
