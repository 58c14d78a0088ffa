import type { Frame } from "@faultline/proto";
import type { MappingRecords } from "./look-up-mapping.ts";
import type { ClassRecord, MethodRange, MethodNotes } from "./read-mapping.ts";

/** A frame of Java or Kotlin as an SDK sends it: `module` is the class. */
export interface JavaFrame {
  readonly module: string;
  readonly function: string;
  readonly filename: string;
  /** From 1; 0 if it is not known. */
  readonly lineno: number;
}

/** A call as the source has it. */
export interface RetracedCall extends JavaFrame {
  /** Whether the compiler made the method, so that no source has it. */
  readonly isSynthesized: boolean;
}

/** A mapping's facts about a frame. */
export interface Retraced {
  /** The call and the calls inlined into it, the oldest first; at least one. */
  readonly calls: readonly RetracedCall[];
  readonly doubt: Doubt | undefined;
}

/** A stack, the oldest call first, and the class of the exception that it threw, by its obfuscated name. */
interface JavaStack {
  readonly frames: readonly JavaFrame[];
  readonly thrown?: string;
}

/** Calls that are shown of a frame, the oldest: no compiler makes deeper ones. */
const mostCalls = 32;

/**
 * A mapping's facts about the frames of a stack, in their order; undefined if the mapping does not have the class of a frame. As R8's
 * retrace does it, with one exception: a frame that is nothing but synthesized code or an outline stays, marked, so
 * that each sent frame is among the shown frames. `mostInlined`: inlined calls of the stack; of older frames the
 * method alone is then shown.
 */
export function retrace(
  { classOf, rangesOf }: MappingRecords,
  { frames, thrown }: JavaStack,
  mostInlined = Infinity,
): (Retraced | undefined)[] {
  let room = mostInlined;
  const retraced: (Retraced | undefined)[] = [];
  /** The line in an outline that the previous frame, the next newer, was in. */
  let outlineLine: number | undefined;
  const exceptions = [thrown, thrown === undefined ? undefined : classOf(thrown)?.name];
  for (const [at, frame] of frames.toReversed().entries()) {
    const known = classOf(frame.module);
    const ranges = known && rangesOf(frame.module, frame.function);
    if (!known || !ranges) {
      retraced.push(known && { calls: [callOf(known, frame)], doubt: undefined });
      outlineLine = undefined;
      continue;
    }
    let found = rangesAt(ranges, frame.lineno);
    let line = frame.lineno;
    const callsite = outlineLine === undefined || !found ? undefined : notesOf(found).callsites?.[String(outlineLine)];
    if (callsite !== undefined) {
      line = callsite;
      found = rangesAt(ranges, line) ?? found;
    }
    outlineLine = found && notesOf(found).outline ? frame.lineno : undefined;
    if (!found) {
      retraced.push({ calls: [callOf(known, { ...frame, lineno: 0 })], doubt: "ambiguous" });
      continue;
    }
    const calls = callsOf(known, frame, { ...found, line }, at === 0 ? exceptions : []).slice(0, room + 1);
    room -= calls.length - 1;
    retraced.push({ calls, doubt: found.doubt });
  }
  return retraced.toReversed();
}

/** The calls of a stack that were inlined. */
export const inlinedCount = (retraced: readonly (Retraced | undefined)[]): number =>
  retraced.reduce((sum, result) => sum + (result ? result.calls.length - 1 : 0), 0);

function callsOf(
  known: ClassRecord,
  frame: JavaFrame,
  { ranges, line }: { readonly ranges: readonly MethodRange[]; readonly line: number },
  exceptions: readonly (string | undefined)[],
): RetracedCall[] {
  const { synthesized, outline, rewrites = [] } = notesOf({ ranges, doubt: undefined });
  const removed = rewrites.find(({ thrown }) => exceptions.includes(thrown))?.removed ?? 0;
  const kept = ranges.slice(Math.max(Math.min(removed, ranges.length - 1), ranges.length - mostCalls));
  const isSynthesized = synthesized === true || outline === true || known.synthesized === true;
  const calls = kept.map((range, at) => {
    const holder = range.holder === undefined ? known : { name: range.holder, ...(range.file && { file: range.file }) };
    const call = { ...frame, function: range.name, lineno: originalLine(range, line) };
    return { ...callOf(holder, call), isSynthesized: isSynthesized && at === kept.length - 1 };
  });
  const written = calls.filter((call) => !call.isSynthesized);
  return (written.length > 0 ? written : calls).toReversed();
}

function callOf(known: ClassRecord, frame: JavaFrame): RetracedCall {
  return {
    module: known.name,
    function: frame.function,
    filename: known.file ?? fileOf(known.name, frame.filename),
    lineno: frame.lineno,
    isSynthesized: known.synthesized === true,
  };
}

/** The file that a class is usually in, by the class around it and the extension that was sent: obfuscated files are named `SourceFile`. */
function fileOf(name: string, sent: string): string {
  const [outer = ""] = name.slice(name.lastIndexOf(".") + 1).split("$");
  const [extension] = /\.(?:java|kt|scala|groovy)$/.exec(sent) ?? [];
  if (extension !== undefined) return `${outer}${extension}`;
  return outer.length > 2 && outer.endsWith("Kt") ? `${outer.slice(0, -2)}.kt` : `${outer}.java`;
}

/** Why only the names of a frame are known, or not even the method's. */
export type Doubt = "no_line" | "line_outside" | "ambiguous";

/** A method and the calls inlined at a line of it. */
interface Calls {
  /** The innermost first; the method itself is the last. */
  readonly ranges: readonly MethodRange[];
  /** Undefined if each line is sure. */
  readonly doubt: Doubt | undefined;
}

/**
 * A mapping's facts about a line of the methods that share an obfuscated name. Line 0 is not known. Of several ranges around the line
 * the narrowest counts, because R8 writes `0:65535` for a method with one position. Where none is around it, the name is known all the same if
 * all methods had the same name; undefined if they had several.
 */
function rangesAt(ranges: readonly MethodRange[], line: number): Calls | undefined {
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

/** The original line of a line in a range; 0 if it is not known. */
function originalLine({ lines, original }: MethodRange, line: number): number {
  if (!original) return line;
  const [first, last] = original;
  if (last === first) return first;
  if (!lines) return 0; // several lines, of which none is known
  return Math.min(first + Math.max(line - lines[0], 0), last);
}

/** The notes of a method at a line: the notes of its last range. */
const notesOf = ({ ranges }: Calls): MethodNotes => ranges.at(-1)?.notes ?? {};

/** Classes of the runtime and of Android itself, which no application contains, so that no mapping has them. */
const runtime = /^(?:java|javax|jdk|sun|com\.sun|android|dalvik|libcore|com\.android\.internal)\./;

/** The class of an exception: the SDK for Java sends its package as `module`. */
export const classOf = ({ module, type }: { readonly module: string; readonly type: string }): string =>
  module === "" ? type : `${module}.${type}`;

/** Whether ProGuard or R8 may have renamed the class of a frame. */
export const mayBeObfuscated = ({ module }: Pick<Frame, "module">): boolean => module !== "" && !runtime.test(module);

/** Whether the class of a frame is named as ProGuard and R8 name them: one or two letters, in any package. */
export const looksObfuscated = ({ module }: Pick<Frame, "module">): boolean => /^(?:[\w$]+\.)*[a-z]{1,2}$/.test(module);
