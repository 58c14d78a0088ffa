/** A part of an event that grouping looked at, and what came of it, in words for people. */
export interface GroupingReason {
  readonly what: "fingerprint" | "rule" | "exception" | "type" | "frame" | "line" | "value" | "message" | "level";
  /** The part as it was sent, shortened. */
  readonly text: string;
  readonly counted: boolean;
  /** A sentence: why it counted, and in which form, or why it did not. */
  readonly why: string;
}

/** Takes reasons; undefined where nobody asked, as for each event that is stored. */
export type Notes = GroupingReason[] | undefined;

const longest = 200;

/** Notes that a part counted. */
export function counted(notes: Notes, what: GroupingReason["what"], text: string, why: string): void {
  notes?.push({ what, text: shorten(text), counted: true, why });
}

/** Notes that a part did not count. */
export function left(notes: Notes, what: GroupingReason["what"], text: string, why: string): void {
  notes?.push({ what, text: shorten(text), counted: false, why });
}

const shorten = (text: string) => (text.length > longest ? `${text.slice(0, longest - 3).toWellFormed()}...` : text);
