import { error } from "@sveltejs/kit";
import type { LayoutServerLoad } from "./$types";

/** Who is no administrator finds nothing here. What the pages read and do is refused by the core besides. */
export const load: LayoutServerLoad = async ({ parent }) => {
  const { user } = await parent();
  if (user?.isAdmin !== true) error(404, "Page not found.");
  return { user };
};
