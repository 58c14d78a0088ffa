import type { JsonOf } from "../messages.ts";
import type { ListErrorsResponseSchema } from "@faultline/proto";
import type { SortKey } from "../navigation/route.ts";
import { fullNumber } from "../number-format.ts";

/** How far a list came that stopped before its end; undefined: it came to the end. */
export function searchedSoFar(
  { examinedCount, searchedToTime }: Pick<JsonOf<typeof ListErrorsResponseSchema>, "examinedCount" | "searchedToTime">,
  sort: SortKey,
  timeOf: (time: number) => string,
): string | undefined {
  if (!examinedCount) return undefined;
  if (sort === "users" && searchedToTime) {
    return `Sorted by users: the ${fullNumber(examinedCount)} errors seen last, back to ${timeOf(Date.parse(searchedToTime))}.`;
  }
  const reach = searchedToTime ? ` This page goes back to ${timeOf(Date.parse(searchedToTime))}.` : "";
  return `This search is checked error by error, ${fullNumber(examinedCount)} at a time.${reach} Counts cover only the errors found so far.`;
}
