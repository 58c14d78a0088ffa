import { redirect } from "@sveltejs/kit";
import { route } from "#lib/navigation/route.ts";
import type { PageServerLoad } from "./$types";

/** Opens the list of projects, which shows urgent errors in all projects, unlike the last visited project. */
export const load: PageServerLoad = () => redirect(307, route.projects());
