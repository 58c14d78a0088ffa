import { counted, fullNumber } from "#lib/number-format.ts";

/** Counts of a list stop here. */
const mostCounted = 1_000;

/** Which of how many errors a page shows: `51–100 of 1,000+`; of a single page how many it has. */
export function listedRange(
  list: { readonly nextPageToken: string; readonly previousPageToken: string; readonly examinedCount: number },
  { count, from, length }: { count: number; from: number; length: number },
): string {
  if (list.nextPageToken === "" && list.previousPageToken === "") return counted(count, "error");
  const last = from + length - 1;
  const all = Math.max(count, last);
  const isMore = count >= mostCounted || list.examinedCount > 0;
  const range = last < from ? "None" : `${fullNumber(from)}–${fullNumber(last)}`;
  return `${range} of ${fullNumber(count >= mostCounted ? mostCounted : all)}${isMore ? "+" : ""}`;
}
