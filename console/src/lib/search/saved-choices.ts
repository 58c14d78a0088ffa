import { sortKeys, statusTabs } from "../errors/list-choices.ts";
import type { SavedSearch } from "../messages.ts";
import type { SortKey, StatusTab } from "../navigation/route.ts";

/** The choices of the errors list that a saved search stands for. */
export const savedChoices = ({ query, status, sort }: Pick<SavedSearch, "query" | "status" | "sort">) => ({
  q: query,
  status: (Object.keys(statusTabs) as StatusTab[]).find((tab) => statusTabs[tab] === status),
  sort: (Object.keys(sortKeys) as SortKey[]).find((key) => sortKeys[key] === sort),
});
