import { maxNameLength } from "./mapping-limits.ts";

/** A class and the name it got. */
export interface ClassLine {
  readonly kind: "class";
  readonly original: string;
  readonly obfuscated: string;
}

/** A range of lines of a method, or a call that was inlined into it. */
export interface MethodLine {
  readonly kind: "method";
  /** The first and the last line in the obfuscated class; undefined: none are given. */
  readonly lines: readonly [first: number, last: number] | undefined;
  /** The original class, where it is another one than that around the line. */
  readonly holder: string | undefined;
  readonly name: string;
  /** The original lines; one alone is that of a call; undefined: those of the obfuscated class. */
  readonly original: readonly [first: number, last: number] | undefined;
  readonly obfuscated: string;
}

/** A comment with JSON, about the class, field or method above it. */
export interface NoteLine {
  readonly kind: "note";
  readonly note: Readonly<Record<string, unknown>>;
}

export type MappingLine = ClassLine | MethodLine | NoteLine | { readonly kind: "field" };

const className = /^([^\s:()]+) -> ([^\s:()]+):$/;
const method =
  /^\s+(?:(\d{1,10})(?::(\d{1,10}))?:)?[^\s()]+ ([^\s()]+)\([^()]*\)(?::(\d{1,10})(?::(\d{1,10}))?)? -> ([^\s()]+)$/;
const field = /^\s+[^\s()]+ [^\s()]+ -> [^\s()]+$/;

/**
 * Reads a line of a mapping (ProGuard manual, "ReTrace"; R8's doc/retrace.md). Undefined: an empty line, a comment without JSON, or
 * anything else, which both documents let tools pass over.
 */
export function readMappingLine(line: string): MappingLine | undefined {
  const text = line.trimEnd();
  if (text.trimStart().startsWith("#")) return readNote(text.trimStart());
  const ofClass = className.exec(text);
  if (ofClass) {
    const [, original = "", obfuscated = ""] = ofClass;
    return areShort(original, obfuscated) ? { kind: "class", original, obfuscated } : undefined;
  }
  const ofMethod = method.exec(text);
  if (ofMethod) return readMethod(ofMethod);
  return field.test(text) ? { kind: "field" } : undefined;
}

function readMethod([, first, last, called = "", originalFirst, originalLast, obfuscated = ""]: RegExpExecArray) {
  if (!areShort(called, obfuscated)) return undefined;
  const dot = called.lastIndexOf(".");
  return {
    kind: "method",
    lines: linesOf(first, last),
    holder: dot > 0 ? called.slice(0, dot) : undefined,
    name: called.slice(dot + 1),
    original: linesOf(originalFirst, originalLast),
    obfuscated,
  } as const;
}

function readNote(comment: string): NoteLine | undefined {
  const json = comment.slice(1).trim();
  if (!json.startsWith("{")) return undefined;
  try {
    return { kind: "note", note: JSON.parse(json) as Record<string, unknown> }; // an object, as it begins with a brace
  } catch {
    return undefined;
  }
}

const areShort = (...names: readonly string[]) => names.every((name) => name.length <= maxNameLength);

/** The largest line of a Java class is 65,535; R8 writes larger ones, which the runtime of Android reports. */
const largestLine = 0x7fff_ffff;

/** A range that ends before it begins is one line, as R8's retrace takes it. */
function linesOf(first: string | undefined, last: string | undefined): readonly [number, number] | undefined {
  if (first === undefined) return undefined;
  const from = Math.min(Number(first), largestLine);
  return [from, Math.max(from, Math.min(Number(last ?? first), largestLine))];
}
