import { error } from "@sveltejs/kit";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";
import type { RequestHandler } from "./$types";

/** The event as the SDK sent it. With `?download` it is saved as a file. */
export const GET: RequestHandler = async ({ params, url, locals }) => {
  try {
    const { project } = await locals.api.projects.getProject({ path: params.project });
    const { event } = await locals.api.errors.getEvent({
      projectId: project?.projectId ?? 0,
      errorId: params.id,
      eventId: params.event,
    });
    const headers = new Headers({ "Content-Type": "application/json; charset=utf-8" });
    if (url.searchParams.has("download")) {
      headers.set("Content-Disposition", `attachment; filename="${event?.eventId ?? "event"}.json"`);
    }
    return new Response(event?.payloadJson ?? "", { headers });
  } catch (failure) {
    const { status, message, reason } = refusalOfTrpc(failure);
    if (reason === "UNKNOWN") throw failure;
    error(status, message, { reason });
  }
};
