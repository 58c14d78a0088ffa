import { error } from "@sveltejs/kit";
import type { LayoutServerLoad } from "./$types";

/** Who is no administrator finds nothing here. What the pages read and do is refused by the core besides. */
export const load: LayoutServerLoad = async ({ parent, locals }) => {
  const { user } = await parent();
  if (user === null) await locals.api.accounts.getCurrentUser({}); // where it is refused, the page says why
  if (user?.isAdmin !== true) error(404, "Page not found.");
  return { user };
};
