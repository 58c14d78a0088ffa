import { redirect } from "@sveltejs/kit";
import { route } from "#lib/route.ts";
import type { PageServerLoad } from "./$types";

/** The page's older address. */
export const load: PageServerLoad = ({ params }) => redirect(308, route.monitorSettings(params.project));
