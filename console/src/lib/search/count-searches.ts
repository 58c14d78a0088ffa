import { countOf } from "../errors/count-of.ts";
import type { SavedSearch } from "../messages.ts";
import { trpc } from "../trpc.ts";
import { savedChoices } from "./saved-choices.ts";

/** Each count is a search, which the service does one after another for a person. */
const mostCounted = 10;

/** Counts the errors of the first saved searches; yields the counts so far as they are shown, by the id of the search. */
export async function* countSearches(
  projectId: number,
  searches: readonly SavedSearch[],
  signal: AbortSignal,
): AsyncGenerator<ReadonlyMap<number, string>> {
  const counts = new Map<number, string>();
  for (const search of searches.slice(0, mostCounted)) {
    const { query, status } = search;
    const { status: tab = "all" } = savedChoices(search);
    // A search that was understood when it was saved may be too expensive by now: its count is left out.
    const found = await trpc.errors.listErrors
      .query({ projectId, query, status, pageSize: 1 }, { signal })
      .catch(() => undefined);
    if (signal.aborted) return;
    if (found?.statusCounts) {
      counts.set(search.savedSearchId, shown(countOf(found.statusCounts, tab), found.examinedCount > 0));
    }
    yield new Map(counts);
  }
}

/** Counting stops at 1,000 of a status. */
const shown = (count: number, isPartial: boolean) => (count >= 1000 ? "1,000+" : `${count}${isPartial ? "+" : ""}`);
