/** A part of an event that grouping looked at, and what came of it, in words for people. */
export interface GroupingReason {
  readonly what:
    "fingerprint" | "rule" | "platform" | "exception" | "type" | "frame" | "line" | "value" | "message" | "level";
  /** The part as it was sent, shortened. */
  readonly text: string;
  readonly counted: boolean;
  /** The form in which it counted, shortened. Empty if it did not count, or counted as it was sent. */
  readonly countedAs: string;
  /** A sentence: why it counted, or why it did not. */
  readonly why: string;
  /** Exactly what counted, to compare events by; it may hold secrets. Empty if it did not count. */
  readonly part: string;
}

/** Takes reasons; undefined where nobody asked, as for each event that is stored. */
export type Notes = TakenReasons | undefined;

export interface TakenReasons {
  readonly reasons: GroupingReason[];
  /** Hides the secrets of a text. It comes first, because a secret that was shortened is not recognised. */
  readonly show: (text: string) => string;
}

interface CountedPart {
  readonly sent: string;
  /** The form that counted. */
  readonly part: string;
  /** Makes that form of a text without secrets. Absent: `part` is shown. */
  readonly form?: (shown: string) => string;
}

/** Notes that a part counted. */
export function counted(
  notes: Notes,
  what: GroupingReason["what"],
  { sent, part, form }: CountedPart,
  why: string,
): void {
  if (!notes) return;
  const shown = notes.show(sent);
  const as = form ? form(shown) : notes.show(part);
  const countedAs = as === shown ? "" : shorten(as);
  notes.reasons.push({ what, text: shorten(shown), counted: true, countedAs, why, part });
}

/** Notes that a part did not count. What was not sent is no part. */
export function left(notes: Notes, what: GroupingReason["what"], sent: string, why: string): void {
  if (!notes || sent === "") return;
  notes.reasons.push({ what, text: shorten(notes.show(sent)), counted: false, countedAs: "", why, part: "" });
}

const longest = 200;

const shorten = (text: string) => (text.length > longest ? `${text.slice(0, longest - 3).toWellFormed()}...` : text);
