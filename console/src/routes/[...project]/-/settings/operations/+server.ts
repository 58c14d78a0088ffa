import { redirect } from "@sveltejs/kit";
import { route } from "#lib/navigation/route.ts";
import type { RequestHandler } from "./$types";

/** The page's older address. */
export const GET: RequestHandler = ({ params }) => redirect(308, route.monitorSettings(params.project));
