import { malformed, MapError } from "../mapping/map-limits.ts";

/** A class of a mapping. */
export interface ReadClass {
  record: ClassRecord;
  /** The ranges by the obfuscated name of the methods. */
  readonly methods: Map<string, MethodRange[]>;
}

interface ReadMapping {
  /** By obfuscated name. */
  readonly classes: ReadonlyMap<string, ReadClass>;
  /** Sentences about what may be wrong with it. */
  readonly warnings: readonly string[];
}

/** The newest version of R8's mappings that is known; later ones may say more. */
const newestVersion = 2.2;

/** Reads a mapping of ProGuard or R8, a text of UTF-8. Throws a MapError when it has no class, or more than the limits allow. */
export function readMapping(text: Uint8Array, limits: MappingLimits): ReadMapping {
  const reader = new MappingReader(limits);
  for (const line of linesOf(text)) reader.add(line);
  return reader.end();
}

class MappingReader {
  readonly #limits: MappingLimits;
  readonly #classes = new Map<string, ReadClass>();
  readonly #tooLong = new Set<string>();
  #class: ReadClass | undefined;
  /** The ranges that hold the range above; undefined if a comment is about the class, or about a field. */
  #method: MethodRange[] | undefined;
  #isAboutField = false;
  #rangeCount = 0;
  #hasLines = false;
  #version = 0;

  constructor(limits: MappingLimits) {
    this.#limits = limits;
  }

  add(text: string): void {
    const line = readMappingLine(text);
    switch (line?.kind) {
      case "class":
        this.#begin(line.original, line.obfuscated);
        return;
      case "method":
        this.#addRange(line);
        return;
      case "note":
        this.#addNote(line.note);
        return;
      case "field":
        this.#method = undefined;
        this.#isAboutField = true;
    }
  }

  end(): ReadMapping {
    if (this.#classes.size === 0) {
      throw new MapError(
        "map_malformed",
        "The file is not a ProGuard or R8 mapping: it names no class. Upload the mapping.txt of the build.",
      );
    }
    const warnings: string[] = [];
    if (!this.#hasLines)
      warnings.push("The mapping has no lines. Keep them in the build: -keepattributes SourceFile,LineNumberTable.");
    if (this.#version > newestVersion)
      warnings.push(`The mapping has version ${this.#version}; parts newer than ${newestVersion} are not read.`);
    for (const name of [...this.#tooLong].slice(0, 5))
      warnings.push(`${name} has more than ${this.#limits.rangesOfMethod} ranges; the others are left out.`);
    return { classes: this.#classes, warnings };
  }

  #begin(original: string, obfuscated: string): void {
    if (this.#classes.size >= this.#limits.classes)
      throw mappingTooLarge(`has more than ${this.#limits.classes.toLocaleString("en")} classes`);
    this.#class = this.#classes.get(obfuscated) ?? { record: { name: original }, methods: new Map() };
    this.#classes.set(obfuscated, this.#class);
    this.#method = undefined;
    this.#isAboutField = false;
  }

  #addRange({ lines, holder, name, original, obfuscated }: MethodLine): void {
    if (!this.#class) throw malformed("it has a method before the first class");
    if (++this.#rangeCount > this.#limits.ranges)
      throw mappingTooLarge(`has more than ${this.#limits.ranges.toLocaleString("en")} lines of methods`);
    this.#isAboutField = false;
    if (lines) this.#hasLines = true;
    const ranges = this.#class.methods.get(obfuscated) ?? [];
    this.#class.methods.set(obfuscated, ranges);
    this.#method = ranges;
    if (ranges.length >= this.#limits.rangesOfMethod) {
      this.#method = [];
      this.#tooLong.add(`${this.#class.record.name}.${name}`);
      return;
    }
    const isOwn = holder === undefined || holder === this.#class.record.name;
    ranges.push({ ...(lines && { lines }), name, ...(original && { original }), ...(!isOwn && { holder }) });
  }

  #addNote(note: Readonly<Record<string, unknown>>): void {
    const { id } = note;
    if (id === "com.android.tools.r8.mapping") {
      this.#version = Math.max(this.#version, Number(note["version"]) || 0);
    } else if (this.#method) {
      const range = this.#method.pop();
      const notes = withNote(range?.notes, note);
      if (range) this.#method.push({ ...range, ...(notes && { notes }) });
    } else if (this.#class && !this.#isAboutField) {
      const { fileName } = note;
      const isFile = id === "sourceFile" && typeof fileName === "string";
      if (isFile) this.#class.record = { ...this.#class.record, file: fileName.slice(0, 255) };
      if (id === "com.android.tools.r8.synthesized") this.#class.record = { ...this.#class.record, synthesized: true };
    }
  }
}

const lineFeed = 10;

function* linesOf(text: Uint8Array): Generator<string> {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(lineFeed, start);
    const end = found === -1 ? bytes.length : found;
    if (end - start <= maxLineBytes) yield bytes.toString("utf8", start, end);
    start = end + 1;
  }
}

type Note = Readonly<Record<string, unknown>>;

/** Positions of a call site of an outline. */
const mostPositions = 1_000;

/** Adds a comment to what is known of a method. Others, such as residual signatures, do not help: a stack trace has no signatures. */
function withNote(notes: MethodNotes | undefined, note: Note): MethodNotes | undefined {
  switch (note["id"]) {
    case "com.android.tools.r8.synthesized":
      return { ...notes, synthesized: true };
    case "com.android.tools.r8.outline":
      return { ...notes, outline: true };
    case "com.android.tools.r8.outlineCallsite":
      return { ...notes, callsites: positionsOf(note["positions"]) };
    case "com.android.tools.r8.rewriteFrame": {
      const rewrite = rewriteOf(note);
      return rewrite ? { ...notes, rewrites: [...(notes?.rewrites ?? []), rewrite] } : notes;
    }
    default:
      return notes;
  }
}

function positionsOf(sent: unknown): Readonly<Record<string, number>> {
  if (typeof sent !== "object" || sent === null) return {};
  const positions = Object.entries(sent).filter(([key, line]) => /^\d+$/.test(key) && Number.isSafeInteger(line));
  return Object.fromEntries(positions.slice(0, mostPositions)) as Record<string, number>;
}

/** One condition and one action are defined (R8's doc/retrace.md, "RewriteFrame"); a rule with others is left alone. */
function rewriteOf({ conditions, actions }: Note): Rewrite | undefined {
  if (!Array.isArray(conditions) || conditions.length !== 1 || !Array.isArray(actions)) return undefined;
  const [, thrown] = /^throws\(L([^;]{1,1000});\)$/.exec(String(conditions[0])) ?? [];
  if (thrown === undefined) return undefined;
  const counts = actions.map((action) => Number(/^removeInnerFrames\((\d{1,4})\)$/.exec(String(action))?.[1]));
  const removed = counts.reduce((sum, count) => sum + count, 0);
  return Number.isNaN(removed) ? undefined : { thrown: thrown.replaceAll("/", "."), removed };
}

/** A class and the name it got. */
interface ClassLine {
  readonly kind: "class";
  readonly original: string;
  readonly obfuscated: string;
}

/** A range of lines of a method, or a call that was inlined into it. */
interface MethodLine {
  readonly kind: "method";
  /** The first and the last line in the obfuscated class; undefined if the mapping gives no lines. */
  readonly lines: readonly [first: number, last: number] | undefined;
  /** The original class, if it is not the class around the line. */
  readonly holder: string | undefined;
  readonly name: string;
  /** The original lines; a single line belongs to a call; undefined if they equal the lines of the obfuscated class. */
  readonly original: readonly [first: number, last: number] | undefined;
  readonly obfuscated: string;
}

/** A comment with JSON, about the class, field or method above it. */
interface NoteLine {
  readonly kind: "note";
  readonly note: Readonly<Record<string, unknown>>;
}

type MappingLine = ClassLine | MethodLine | NoteLine | { readonly kind: "field" };

const classLine = /^([^\s:()]+) -> ([^\s:()]+):$/;
const methodLine =
  /^\s+(?:(\d{1,10})(?::(\d{1,10}))?:)?[^\s()]+ ([^\s()]+)\([^()]*\)(?::(\d{1,10})(?::(\d{1,10}))?)? -> ([^\s()]+)$/;
const fieldLine = /^\s+[^\s()]+ [^\s()]+ -> [^\s()]+$/;

/**
 * Reads a line of a mapping (ProGuard manual, "ReTrace"; R8's doc/retrace.md). Undefined for an empty line, a comment without JSON, or
 * anything else, which both documents let tools pass over.
 */
function readMappingLine(line: string): MappingLine | undefined {
  const text = line.trimEnd();
  if (text.trimStart().startsWith("#")) return readNote(text.trimStart());
  const ofClass = classLine.exec(text);
  if (ofClass) {
    const [, original = "", obfuscated = ""] = ofClass;
    return areShort(original, obfuscated) ? { kind: "class", original, obfuscated } : undefined;
  }
  const ofMethod = methodLine.exec(text);
  if (ofMethod) return readMethod(ofMethod);
  return fieldLine.test(text) ? { kind: "field" } : undefined;
}

function readMethod([, first, last, called = "", originalFirst, originalLast, obfuscated = ""]: RegExpExecArray) {
  if (!areShort(called, obfuscated)) return undefined;
  const dot = called.lastIndexOf(".");
  return {
    kind: "method",
    lines: rangeOf(first, last),
    holder: dot > 0 ? called.slice(0, dot) : undefined,
    name: called.slice(dot + 1),
    original: rangeOf(originalFirst, originalLast),
    obfuscated,
  } as const;
}

function readNote(comment: string): NoteLine | undefined {
  const json = comment.slice(1).trim();
  if (!json.startsWith("{")) return undefined;
  try {
    return { kind: "note", note: JSON.parse(json) as Record<string, unknown> }; // an object, because it begins with a brace
  } catch {
    return undefined;
  }
}

const areShort = (...names: readonly string[]) => names.every((name) => name.length <= maxNameLength);

/** The largest line of a Java class is 65,535; R8 writes larger ones, which the runtime of Android reports. */
const largestLine = 0x7fff_ffff;

/** A range that ends before it begins is one line, as R8's retrace takes it. */
function rangeOf(first: string | undefined, last: string | undefined): readonly [number, number] | undefined {
  if (first === undefined) return undefined;
  const from = Math.min(Number(first), largestLine);
  return [from, Math.max(from, Math.min(Number(last ?? first), largestLine))];
}

/** The entry of the index for a class, found by its obfuscated name. */
export interface ClassRecord {
  readonly name: string;
  /** The name of its source file, such as `Shop.kt`; undefined if the mapping does not say. */
  readonly file?: string;
  /** Whether the compiler made it. */
  readonly synthesized?: true;
}

/** A range of lines of an obfuscated method, or a call inlined into it. Ranges with the same lines follow each other, the innermost first. */
export interface MethodRange {
  /** The first and the last obfuscated line; undefined if the range holds for any line. */
  readonly lines?: readonly [first: number, last: number];
  readonly name: string;
  /** The original lines; undefined if they equal the obfuscated lines. */
  readonly original?: readonly [first: number, last: number];
  /** The original name of the class that the method was inlined from, and its file if that is known. */
  readonly holder?: string;
  readonly file?: string;
  readonly notes?: MethodNotes;
}

/** R8's notes about a method (its doc/retrace.md). */
export interface MethodNotes {
  /** The compiler made it. */
  readonly synthesized?: true;
  /** Code that several methods share: the line is in its caller, by the caller's `callsites`. */
  readonly outline?: true;
  /** Lines in an outline, each with its line in this method. */
  readonly callsites?: Readonly<Record<string, number>>;
  /** Calls to leave out if the frame threw one of these exceptions, the innermost first. */
  readonly rewrites?: readonly Rewrite[];
}

interface Rewrite {
  /** The class of the exception. */
  readonly thrown: string;
  readonly removed: number;
}

/** The key of a method's ranges in the index; the key of a class is its obfuscated name. No name holds a line end. */
export const methodKey = (className: string, method: string) => `${className}\n${method}`;

/** How much a mapping of ProGuard or R8 may hold. Tests lower them. */
export interface MappingLimits {
  /** Bytes of its text. */
  readonly bytes: number;
  readonly classes: number;
  /** Lines of methods, each a range or a call that was inlined. */
  readonly ranges: number;
  /** Ranges of the methods of a class that share an obfuscated name: an event reads them all for a frame. Further ones are left out. */
  readonly rangesOfMethod: number;
  readonly indexBytes: number;
}

const MiB = 1024 * 1024;

/** The refusal of a mapping that exceeds a limit: `what` is a clause such as "has more than 128 MiB". */
export const mappingTooLarge = (what: string) =>
  new MapError("map_too_large", `The mapping ${what}. Keep the names of more classes in the build with -keepnames.`);

/** Mappings of large Android applications have 50 to 100 MB with 60,000 classes and a million ranges. */
export const mappingLimits: MappingLimits = {
  bytes: 128 * MiB,
  classes: 500_000,
  ranges: 4_000_000,
  rangesOfMethod: 10_000,
  indexBytes: 256 * MiB,
};

/** Bytes of a line; longer ones are passed over. Comments of R8 about outlines are the longest, with some kilobytes. */
const maxLineBytes = 64 * 1024;

/** Characters of a name; a line with a longer name is passed over. The JVM allows 65,535 bytes, stack traces are cut before. */
const maxNameLength = 1_000;
