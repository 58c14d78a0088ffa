import { redirect } from "@sveltejs/kit";
import { route } from "#lib/navigation/route.ts";
import type { PageServerLoad } from "./$types";

export const load: PageServerLoad = async ({ parent }) => {
  await parent();
  redirect(303, route.adminHealth());
};
