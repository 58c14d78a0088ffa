import type { SavedSearch } from "@faultline/console/messages.ts";
import { route } from "@faultline/console/navigation/route.ts";
import type { OfferedEntry } from "@faultline/console/plugin";
import { savedChoices } from "@faultline/console/search/saved-choices.ts";

/** A saved search opens the list with its status and order. It can also be found by its query. */
export const offered = (
  search: Pick<SavedSearch, "name" | "query" | "status" | "sort">,
  projectPath: string,
): OfferedEntry => ({
  label: search.name,
  note: "Saved search",
  href: route.errors(projectPath, savedChoices(search)),
  words: search.query,
});
