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

/** Takes reasons; undefined if nobody asked, which holds for each event that is stored. */
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
  /** Makes that form of a text without secrets; by default `part` is shown. */
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

/** Notes that a part did not count. An empty text is ignored. */
export function left(notes: Notes, what: GroupingReason["what"], sent: string, why: string): void {
  if (!notes || sent === "") return;
  notes.reasons.push({ what, text: shorten(notes.show(sent)), counted: false, countedAs: "", why, part: "" });
}

const longest = 200;

const shorten = (text: string) => (text.length > longest ? `${text.slice(0, longest - 3).toWellFormed()}...` : text);

/** The difference between two events. */
export interface GroupDifference {
  /** The parts that counted only in the first event. */
  readonly onlyHere: readonly GroupingReason[];
  /** The parts that counted only in the second event. */
  readonly onlyThere: readonly GroupingReason[];
}

/** Compares what counted in two events. A part that counted twice in one of them and once in the other is a difference. */
export function differenceOf(here: readonly GroupingReason[], there: readonly GroupingReason[]): GroupDifference {
  return { onlyHere: withoutThoseOf(here, there), onlyThere: withoutThoseOf(there, here) };
}

function withoutThoseOf(some: readonly GroupingReason[], others: readonly GroupingReason[]): GroupingReason[] {
  const counts = new Map<string, number>();
  for (const one of others) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return some.filter((one) => {
    if (!one.counted) return false;
    const unmatched = counts.get(keyOf(one)) ?? 0;
    counts.set(keyOf(one), unmatched - 1);
    return unmatched <= 0;
  });
}

const keyOf = (reason: GroupingReason) => (reason.counted ? `${reason.what}\u001f${reason.part}` : "");
