/**
 * A value to compare with: the texts between its wildcards, in order. A single text must match exactly. `web*` is
 * `["web", ""]`.
 */
export type Pattern = readonly [string, ...string[]];

/** The subject of a term: a key of the language, or the name of a tag. */
export interface Named {
  /** A key in its usual spelling (see keys.ts), or the name of a tag. */
  readonly key: string;
  /** Whether the key is the name of a tag. It is written as `tags[key]` if it could be read as something else. */
  readonly isTag: boolean;
}

/** Text that occurs in title, value or culprit. */
export interface TextTerm {
  readonly of: "text";
  readonly text: string;
  readonly isNegated: boolean;
}

/**
 * One of several values: `key:value`, `key:[a, b]`. `isOnly` means that no event had another value, written as
 * `all:key:value`.
 */
export interface ValueTerm extends Named {
  readonly of: "value";
  readonly values: readonly [Pattern, ...Pattern[]];
  readonly isNegated: boolean;
  readonly isOnly: boolean;
}

/** Any value: `has:key`. */
export interface PresenceTerm extends Named {
  readonly of: "presence";
  readonly isNegated: boolean;
}

export type Operator = ">" | ">=" | "<" | "<=" | "=";

/**
 * A comparison with a number, a time or a release: `timesSeen:>100`. `operand` is the written form: a number, an ISO
 * date or time, an age such as `-24h` (at most that long ago) or `+7d` (at least), or a version.
 */
export interface ComparisonTerm extends Named {
  readonly of: "comparison";
  readonly operator: Operator;
  readonly operand: string;
  readonly isNegated: boolean;
}

/** A part of a search. An error is found if it meets all parts. */
export type Term = TextTerm | ValueTerm | PresenceTerm | ComparisonTerm;

/**
 * Keys that have a value in each event. Other keys describe the error as a whole, and say nothing about a single event.
 */
const keysOfEvents = new Set(
  "level release environment transaction url handled user browser os device runtime".split(" "),
);

/** Whether a term also applies to single events: a tag, or a fact that each event has. */
export function isAboutEvents(term: Term): term is Exclude<Term, TextTerm> {
  return term.of !== "text" && (term.isTag || keysOfEvents.has(term.key) || term.key.startsWith("user."));
}

/** A part of a search that cannot be read, with its position: characters from `start` to `end`, counted from 0. */
export class SearchProblem extends Error {
  override readonly name = "SearchProblem";
  readonly start: number;
  readonly end: number;

  /** `message` is a sentence for the person who typed the search. */
  constructor(message: string, start: number, end: number) {
    super(message);
    this.start = start;
    this.end = end;
  }
}
