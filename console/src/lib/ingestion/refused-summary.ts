import type { Outcome } from "../messages.ts";
import { counted, fullNumber } from "../number-format.ts";
import { outcomeWords } from "./outcome-words.ts";

const shownReasons = 3;

/**
 * The refused events in one line: `1,204 events refused in the last 24 hours: rate limit`. With several reasons, each
 * reason has its number. Empty if nothing was refused.
 */
export function refusedSummary(outcomes: readonly Outcome[]): string {
  const refused = outcomes.filter(({ kind }) => kind === "OUTCOME_KIND_REFUSED");
  const total = quantityOf(refused);
  if (total === 0) return "";
  const onlyEvents = refused.every(({ category }) => category === "error" || category === "default");
  const what = counted(total, onlyEvents ? "event" : "item");
  return `${what} refused in the last 24 hours: ${reasonsOf(refused)}`;
}

/** The number of items in these outcomes. */
export const quantityOf = (outcomes: readonly Outcome[]) =>
  outcomes.reduce((sum, { quantity }) => sum + Number(quantity), 0);

function reasonsOf(refused: readonly Outcome[]): string {
  const counts = new Map<string, number>();
  for (const outcome of refused) {
    const { reason } = outcomeWords(outcome);
    counts.set(reason, (counts.get(reason) ?? 0) + Number(outcome.quantity));
  }
  const reasons = [...counts].toSorted(([, a], [, b]) => b - a);
  if (reasons.length === 1) return reasons.map(([reason]) => reason).join("");
  const more = reasons.length - shownReasons;
  return [
    ...reasons.slice(0, shownReasons).map(([reason, count]) => `${reason} (${fullNumber(count)})`),
    ...(more > 0 ? [counted(more, "other reason")] : []),
  ].join(", ");
}
