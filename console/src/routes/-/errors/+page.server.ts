import { listChoices } from "#lib/errors/list-choices.ts";
import { allErrors } from "#lib/server/all-errors.ts";
import { refusedInPlace } from "#lib/server/refused-in-place.ts";
import type { PageServerLoad } from "./$types";

const pageSize = 100;

export const load: PageServerLoad = async ({ url, locals }) => {
  const asked = { ...listChoices(url.searchParams), project: url.searchParams.get("project")?.trim() ?? "" };
  const { answer, refusal } = await refusedInPlace(allErrors(locals.api, asked, pageSize));
  return { asked, pageSize, list: answer, refusal };
};
