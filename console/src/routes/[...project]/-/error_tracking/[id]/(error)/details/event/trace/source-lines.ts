/** The shown lines of source around a call. */

import type { Frame } from "#lib/messages.ts";

/** A line, with the column of the call if it is known and the line is long. */
export interface SourceLine {
  readonly number: number;
  readonly isErroring: boolean;
  readonly before: string;
  /** The character where the call begins; empty if it is not marked. */
  readonly marked: string;
  readonly after: string;
}

/** Nobody reads longer lines. `lead` is the length kept before the column. */
const long = { characters: 200, lead: 60 };

/** `isCut` cuts long lines; the line of the call is cut around its column. */
export function sourceLines(frame: Frame, isCut: boolean): SourceLine[] {
  const { preContext, contextLine, postContext, lineno } = frame;
  const around = (text: string, number: number) => ({
    number,
    isErroring: number === lineno,
    before: isCut && text.length > long.characters ? `${text.slice(0, long.characters)}…` : text,
    marked: "",
    after: "",
  });
  return [
    ...preContext.map((text, index) => around(text, lineno - preContext.length + index)),
    ...(contextLine === "" && preContext.length === 0 ? [] : [marked(around(contextLine, lineno), frame, isCut)]),
    ...postContext.map((text, index) => around(text, lineno + 1 + index)),
  ];
}

function marked(line: SourceLine, frame: Frame, isCut: boolean): SourceLine {
  const { contextLine: text } = frame;
  const at = columnIn(frame);
  if (at === undefined || text.length <= long.characters) return line;
  const start = isCut ? Math.max(0, Math.min(at - long.lead, text.length - long.characters)) : 0;
  const end = isCut ? Math.min(start + long.characters, text.length) : text.length;
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0x20);
  return {
    ...line,
    before: `${start > 0 ? "…" : ""}${text.slice(start, at)}`,
    marked: character,
    after: `${text.slice(at + character.length, end)}${end < text.length ? "…" : ""}`,
  };
}

/** Sentry's SDKs for JavaScript cut long lines 60 characters before the column, or at the last 140 (`snipLine`). */
const snipped = { mark: /^'?\{snip\} /, before: 60, last: 140 };

/** The column of the call in the shown line, from 0. Undefined if it is unknown, or the line does not contain it. */
function columnIn({ contextLine: text, colno }: Frame): number | undefined {
  if (colno === 0) return undefined;
  const mark = snipped.mark.exec(text)?.[0];
  if (mark === undefined) return colno <= text.length ? colno - 1 : undefined;
  const isLast = text.length - mark.length === snipped.last && !text.endsWith("{snip}");
  const at = mark.length + snipped.before - 1;
  return isLast || at >= text.length ? undefined : at;
}

/** Whether the column of the call is beyond the sent part of its line. */
export const isColumnMissing = (frame: Frame): boolean =>
  frame.contextLine.length > long.characters && frame.colno > 0 && columnIn(frame) === undefined;
