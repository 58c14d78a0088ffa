import type { MethodNotes, MethodRange } from "./records.ts";

/** Why only the names of a frame are known, or not even the method's. */
export type Doubt = "no_line" | "line_outside" | "ambiguous";

/** A method and the calls inlined at a line of it. */
export interface Calls {
  /** The innermost first; the method itself is the last. */
  readonly ranges: readonly MethodRange[];
  /** Undefined: line by line sure. */
  readonly doubt: Doubt | undefined;
}

/**
 * What a mapping says about a line of the methods that share an obfuscated name; line 0: not known. Of several ranges around the line
 * the narrowest counts, as R8 writes `0:65535` for a method with one position. Where none is around it, the name is known all the same if
 * all methods had the same one. Undefined: they had several.
 */
export function rangesAt(ranges: readonly MethodRange[], line: number): Calls | undefined {
  const around = narrowest(ranges, line);
  if (around) return { ranges: around, doubt: undefined };
  const anyLine = ranges.filter(({ lines }) => !lines);
  const candidates = anyLine.length > 0 ? anyLine : ranges.filter((range, at) => !isSameLines(range, ranges[at + 1]));
  const [first, ...others] = candidates;
  if (!first || others.some((other) => other.name !== first.name || other.holder !== first.holder)) return undefined;
  if (anyLine.length > 0) return { ranges: [first], doubt: undefined };
  const { original: _, ...named } = first;
  return { ranges: [{ ...named, original: [0, 0] }], doubt: line === 0 ? "no_line" : "line_outside" };
}

/** The first and its successors of the same lines. */
function narrowest(ranges: readonly MethodRange[], line: number): readonly MethodRange[] | undefined {
  let best = -1;
  let width = Infinity;
  for (const [at, { lines }] of ranges.entries()) {
    if (!lines || line < lines[0] || line > lines[1] || lines[1] - lines[0] >= width) continue;
    best = at;
    width = lines[1] - lines[0];
  }
  if (best === -1) return undefined;
  let end = best + 1;
  while (isSameLines(ranges[best], ranges[end])) end += 1;
  return ranges.slice(best, end);
}

const isSameLines = (one: MethodRange | undefined, other: MethodRange | undefined): boolean =>
  one?.lines !== undefined && one.lines[0] === other?.lines?.[0] && one.lines[1] === other.lines[1];

/** The original line of a line in a range; 0: not known. */
export function originalLine({ lines, original }: MethodRange, line: number): number {
  if (!original) return line;
  const [first, last] = original;
  if (last === first) return first;
  if (!lines) return 0; // several lines, of which none is known
  return Math.min(first + Math.max(line - lines[0], 0), last);
}

/** The notes of a method at a line: those of its last range. */
export const notesOf = ({ ranges }: Calls): MethodNotes => ranges.at(-1)?.notes ?? {};
