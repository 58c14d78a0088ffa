import { redirect } from "@sveltejs/kit";
import { listChoices, shownSearch } from "#lib/errors/list-choices.ts";
import { choiceFields, searchChoices, withChoice } from "#lib/search/search-choices.ts";

const formFields = [...choiceFields, shownSearch];

/**
 * The choices of a list of errors. The selects are fields of the form: a changed select becomes a term of the search,
 * and the address with the complete search is shown. An unchanged select has no effect, so typed terms stay. An `is:`
 * in the search replaces the tab.
 */
export function listedSearch(url: URL) {
  if (formFields.some((field) => url.searchParams.has(field))) redirect(303, withChoices(url));
  const asked = listChoices(url.searchParams);
  const search = searchChoices(asked.q);
  return { ...asked, status: search.hasStatus ? ("all" as const) : asked.status, search };
}

function withChoices(url: URL): string {
  const searchParams = new URLSearchParams(url.search);
  const shown = searchChoices(searchParams.get(shownSearch) ?? "");
  const q = choiceFields.reduce(
    (search, field) => {
      const value = searchParams.get(field) ?? shown[field];
      return value === shown[field] ? search : withChoice(search, field, value);
    },
    searchParams.get("q") ?? "",
  );
  for (const name of [...formFields, "q", "cursor"]) searchParams.delete(name);
  if (q !== "") searchParams.set("q", q);
  const query = searchParams.toString();
  return query === "" ? url.pathname : `${url.pathname}?${query}`;
}
