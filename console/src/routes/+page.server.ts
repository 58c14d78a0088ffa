import { redirect } from "@sveltejs/kit";
import { route } from "#lib/navigation/route.ts";
import type { PageServerLoad } from "./$types";

/** The projects say what is burning in all of them, which the project visited last cannot. */
export const load: PageServerLoad = () => redirect(307, route.projects());
