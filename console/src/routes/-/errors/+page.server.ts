import { allErrors } from "#lib/server/all-errors.ts";
import { listedSearch } from "#lib/server/listed-search.ts";
import { refusedInPlace } from "#lib/server/refused-in-place.ts";
import type { PageServerLoad } from "./$types";

const pageSize = 100;

export const load: PageServerLoad = async ({ url, locals }) => {
  const { search, ...choices } = listedSearch(url);
  const asked = { ...choices, project: url.searchParams.get("project")?.trim() ?? "" };
  const readAt = Date.now();
  const { answer, refusal } = await refusedInPlace(allErrors(locals.api, asked, pageSize));
  return { asked, search, pageSize, readAt, list: answer, refusal };
};
