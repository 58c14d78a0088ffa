import { redirect } from "@sveltejs/kit";
import { route } from "#lib/navigation/route.ts";
import type { RequestHandler } from "./$types";

export const GET: RequestHandler = ({ params }) => redirect(308, route.errorDetails(params.project, params.id));
