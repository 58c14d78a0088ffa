import type { NotificationTrigger } from "@faultline/proto";

/** The changes that an entry gathers: how many there are of each trigger. */
export type GatheredCounts = Readonly<Record<string, number>>;

/** With one more change. */
export const counted = (counts: GatheredCounts, trigger: NotificationTrigger): GatheredCounts => ({
  ...counts,
  [trigger]: (counts[trigger] ?? 0) + 1,
});

/** As `JSON.stringify` wrote them. */
export const readCounts = (json: string): GatheredCounts => JSON.parse(json) as GatheredCounts;

export const totalOf = (counts: GatheredCounts): number => Object.values(counts).reduce((sum, n) => sum + n, 0);
