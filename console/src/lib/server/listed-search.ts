import { redirect } from "@sveltejs/kit";
import { listChoices } from "#lib/errors/list-choices.ts";
import { choiceFields, searchChoices, withChoice } from "#lib/search/search-choices.ts";

/**
 * The choices of a list of errors. The selects are fields of the form: a choice becomes a term of the search, which is the
 * whole truth, and the address with it is shown. An `is:` in the search takes the place of the tab.
 */
export function listedSearch(url: URL) {
  const chosen = choiceFields.filter((field) => url.searchParams.has(field));
  if (chosen.length > 0) redirect(303, withChoices(url, chosen));
  const asked = listChoices(url.searchParams);
  const search = searchChoices(asked.q);
  return { ...asked, status: search.hasStatus ? ("all" as const) : asked.status, search };
}

function withChoices(url: URL, chosen: typeof choiceFields): string {
  const searchParams = new URLSearchParams(url.search);
  const q = chosen.reduce(
    (search, field) => withChoice(search, field, searchParams.get(field) ?? ""),
    searchParams.get("q") ?? "",
  );
  for (const name of [...chosen, "q", "cursor"]) searchParams.delete(name);
  if (q !== "") searchParams.set("q", q);
  const query = searchParams.toString();
  return query === "" ? url.pathname : `${url.pathname}?${query}`;
}
