import { error } from "@sveltejs/kit";
import type { LayoutServerLoad } from "./$types";

/** These pages exist only for administrators. The core also refuses their calls. */
export const load: LayoutServerLoad = async ({ parent, locals }) => {
  const { user } = await parent();
  if (user === null) await locals.api.accounts.getCurrentUser({}); // if it is refused, the page shows the reason
  if (user?.isAdmin !== true) error(404, "Page not found.");
  return { user };
};
