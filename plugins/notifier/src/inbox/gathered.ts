import type { KindNumber } from "../tables.ts";

/** The changes that an entry gathers: how many there are of each kind. */
export type GatheredCounts = Readonly<Record<string, number>>;

/** With one more change. */
export const counted = (counts: GatheredCounts, kind: KindNumber): GatheredCounts => ({
  ...counts,
  [kind]: (counts[kind] ?? 0) + 1,
});

/** As `JSON.stringify` wrote them. */
export const readCounts = (json: string): GatheredCounts => JSON.parse(json) as GatheredCounts;

export const totalOf = (counts: GatheredCounts): number => Object.values(counts).reduce((sum, n) => sum + n, 0);
