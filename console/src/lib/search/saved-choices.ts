import { sorts, tabs, wordsOf } from "../errors/list-choices.ts";
import type { SavedSearch } from "../messages.ts";

/** The choices of the errors list in a saved search. */
export const savedChoices = ({ query, status, sort }: Pick<SavedSearch, "query" | "status" | "sort">) => ({
  q: query,
  status: wordsOf(tabs).find((tab) => tabs[tab].status === status),
  sort: wordsOf(sorts).find((key) => sorts[key].sort === sort),
});
