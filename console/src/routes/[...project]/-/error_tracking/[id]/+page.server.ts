import { redirect } from "@sveltejs/kit";
import { route } from "#lib/route.ts";
import type { PageServerLoad } from "./$types";

export const load: PageServerLoad = ({ params }) => redirect(308, route.errorDetails(params.project, params.id));
