/** What the index has for a class: found by its obfuscated name. */
export interface ClassRecord {
  readonly name: string;
  /** The name of its source file, such as `Shop.kt`; absent: the mapping does not say. */
  readonly file?: string;
  /** Whether the compiler made it. */
  readonly synthesized?: true;
}

/** A range of lines of an obfuscated method, or a call inlined into it: those with the same lines follow each other, the innermost first. */
export interface MethodRange {
  /** The first and the last obfuscated line; absent: it holds for any. */
  readonly lines?: readonly [first: number, last: number];
  readonly name: string;
  /** The original lines; absent: they are the obfuscated ones. */
  readonly original?: readonly [first: number, last: number];
  /** Where the method was inlined from another class: its original name, and its file where that is known. */
  readonly holder?: string;
  readonly file?: string;
  readonly notes?: MethodNotes;
}

/** What R8 notes about a method (its doc/retrace.md). */
export interface MethodNotes {
  /** The compiler made it. */
  readonly synthesized?: true;
  /** Code that several methods share: the line is that of its caller, by the caller's `callsites`. */
  readonly outline?: true;
  /** Lines in an outline, and the line each stands for in this method. */
  readonly callsites?: Readonly<Record<string, number>>;
  /** Calls to leave out where the frame threw one of these exceptions, the innermost first. */
  readonly rewrites?: readonly Rewrite[];
}

export interface Rewrite {
  /** The class of the exception. */
  readonly thrown: string;
  readonly removed: number;
}

/** The key of a method's ranges in the index; that of a class is its obfuscated name. No name holds a line end. */
export const methodKey = (className: string, method: string) => `${className}\n${method}`;
