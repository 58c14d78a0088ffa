import type { LineEnd, SlicedText } from "./sliced-text.ts";

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
 * end. Line and column begin at 1. Undefined: there is no such line. Reads a slice or two, and at most 25, where each line has
 * megabytes. Fails as the text fails.
 */
export async function contextLines(text: SlicedText, line: number, column: number): Promise<ContextLines | undefined> {
  if (line < 1 || line > text.lineCount) return undefined;
  const first = Math.max(line - linesAround, 1);
  const ends = await text.lineEnds(first - 1, Math.min(line + linesAround, text.lineCount));
  const lines: string[] = [];
  for (const [n, { end }] of ends.slice(1).entries()) {
    const wanted = first + n === line ? column - 1 - lineLength / 2 : 0;
    lines.push(await cut(text, { start: nextOf(ends[n]), end }, wanted));
  }
  const at = line - first;
  return { before: lines.slice(0, at), line: lines[at] ?? "", after: lines.slice(at + 1) };
}

const nextOf = (end: LineEnd | undefined): number => end?.next ?? 0;

/** What fits of a line from about the wanted column on, with a mark on each side where something is missing. */
async function cut(
  text: SlicedText,
  line: { readonly start: number; readonly end: number },
  wanted: number,
): Promise<string> {
  const length = line.end - line.start;
  if (length <= lineLength) return text.between(line.start, line.end);
  const start = Math.max(Math.min(Math.floor(wanted), length - lineLength), 0);
  const end = start + lineLength;
  const isCutBefore = start > 0;
  const isCutAfter = end < length;
  const kept = await text.between(
    line.start + start + (isCutBefore ? mark.length : 0),
    line.start + end - (isCutAfter ? mark.length : 0),
  );
  return `${isCutBefore ? mark : ""}${whole(kept)}${isCutAfter ? mark : ""}`;
}

/** Without the halves of characters at its ends. */
function whole(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
}
