import type { JsonField } from "./json.ts";

/** Notes a cut text: how many characters are kept, and how many were sent. */
export interface NotesCuts {
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
