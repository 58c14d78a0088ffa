import { logScriptFailure } from "#lib/server/log-failure.ts";
import type { RequestHandler } from "./$types";

/** The maximum bytes of a report; a stack of minified scripts has some hundred. */
const maxCharacters = 4_000;

/**
 * The limit of this process, so that a page that fails repeatedly, or a person who invents failures, does not fill the
 * log.
 */
const reportsPerMinute = 60;

let minute = 0;
let reports = 0;

/** Logs failures of a page's scripts like failures of its rendering on the server. */
export const POST: RequestHandler = async (event) => {
  const { request, url } = event;
  const now = Math.floor(Date.now() / 60_000);
  if (now !== minute) [minute, reports] = [now, 0];
  reports += 1;
  if (reports > reportsPerMinute) return new Response(null, { status: 429 });
  const error = (await request.text()).slice(0, maxCharacters);
  logScriptFailure(event, { route: url.searchParams.get("route")?.slice(0, 200), error });
  return new Response(null, { status: 204 });
};
