import { error } from "@sveltejs/kit";
import type { LayoutServerLoad } from "./$types";

/** For anyone but administrators these pages do not exist. The core refuses their calls besides. */
export const load: LayoutServerLoad = async ({ parent, locals }) => {
  const { user } = await parent();
  if (user === null) await locals.api.accounts.getCurrentUser({}); // where it is refused, the page shows the reason
  if (user?.isAdmin !== true) error(404, "Page not found.");
  return { user };
};
