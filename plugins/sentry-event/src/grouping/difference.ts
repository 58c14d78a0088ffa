import type { GroupingReason } from "./reasons.ts";

/** What distinguishes two events. */
export interface GroupDifference {
  /** What counted in the first event alone. */
  readonly onlyHere: readonly GroupingReason[];
  /** What counted in the second event alone. */
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
    const left = counts.get(keyOf(one)) ?? 0;
    counts.set(keyOf(one), left - 1);
    return left <= 0;
  });
}

const keyOf = ({ what, part, counted }: GroupingReason) => (counted ? `${what}\u001f${part}` : "");
