/** The text around a line of a source. */
export interface ContextLines {
  readonly before: readonly string[];
  readonly line: string;
  readonly after: readonly string[];
}

/** Lines before and after, as Sentry's SDKs send them. */
const linesAround = 5;

/** UTF-16 units that are left of a line, the mark of what was cut included: at most 1,540 in all. */
const lineLength = 140;

const mark = "…";

/**
 * The line of a text and five on each side, each cut to 140 UTF-16 units: the line itself around the column, the others at their
 * end. Line and column begin at 1. Undefined: there is no such line. It does not split the whole text, which may have megabytes.
 */
export function contextLines(content: string, line: number, column: number): ContextLines | undefined {
  if (line < 1) return undefined;
  const first = Math.max(line - linesAround, 1);
  const lines: string[] = [];
  let number = 1;
  let start = 0;
  for (const { index, length } of lineEnds(content)) {
    if (number >= first) lines.push(content.slice(start, index));
    start = index + length;
    if (++number > line + linesAround) break;
  }
  if (number <= line + linesAround) {
    if (number < line) return undefined;
    if (number >= first) lines.push(content.slice(start));
  }
  const at = line - first;
  const cutStart = (text: string) => cut(text, 0);
  return {
    before: lines.slice(0, at).map(cutStart),
    line: cut(lines[at] ?? "", column - 1 - lineLength / 2),
    after: lines.slice(at + 1).map(cutStart),
  };
}

/** Where lines end, and with how many units. Most texts have line feeds alone, which are found in half the time. */
function* lineEnds(content: string): Generator<{ readonly index: number; readonly length: number }> {
  if (otherLineEnds.some((end) => content.includes(end))) {
    for (const { index, 0: end } of content.matchAll(lineEnd)) yield { index, length: end.length };
    return;
  }
  for (let index = content.indexOf("\n"); index >= 0; index = content.indexOf("\n", index + 1))
    yield { index, length: 1 };
}

const otherLineEnds = ["\r", "\u2028", "\u2029"];

/** ECMA-262, LineTerminatorSequence. */
const lineEnd = /\r\n|[\n\r\u2028\u2029]/g;

/** What fits of a line from about the wanted column on, with a mark on each side where something is missing. */
function cut(text: string, wanted: number): string {
  if (text.length <= lineLength) return text;
  const start = Math.max(Math.min(Math.floor(wanted), text.length - lineLength), 0);
  const end = start + lineLength;
  const isCutBefore = start > 0;
  const isCutAfter = end < text.length;
  const kept = text.slice(start + (isCutBefore ? mark.length : 0), end - (isCutAfter ? mark.length : 0));
  return `${isCutBefore ? mark : ""}${whole(kept)}${isCutAfter ? mark : ""}`;
}

/** Without the halves of characters at its ends. */
function whole(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
}
