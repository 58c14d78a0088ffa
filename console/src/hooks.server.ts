import { redirect, type RequestEvent } from "@sveltejs/kit";
import type { Handle, HandleServerError } from "@sveltejs/kit/hooks";
import { readPreferences } from "#lib/preferences/preferences.ts";
import { sessionOver } from "#lib/interruptions/session-over.ts";
import { route } from "#lib/navigation/route.ts";
import { readForm } from "#lib/server/form-limits.ts";
import { isOpen, unsubscribeRoute } from "#lib/server/open-routes.ts";
import { logFailure } from "#lib/server/log-failure.ts";
import { isFromOwnPage, safeMethods } from "#lib/server/own-page.ts";
import { sessionToken } from "#lib/server/session.ts";
import { callerFor } from "#lib/server/trpc/caller.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";

export const handle: Handle = async ({ event, resolve }) => {
  const { request, url, cookies, locals } = event;
  const isFromAnywhere = event.route.id === unsubscribeRoute;
  if (!safeMethods.has(request.method) && !isFromAnywhere && !isFromOwnPage(request, url.origin)) {
    const advice = `Open the console at ${url.origin}, or set FAULTLINE_BASE_URL to the address people use.`;
    return new Response(`This request did not come from a page of this console. ${advice}`, { status: 403 });
  }

  locals.token = sessionToken(cookies, url);
  locals.preferences = readPreferences((name) => cookies.get(name));
  locals.api = callerFor(event);
  if (locals.token === undefined && !isOpen(event.route.id)) {
    if (!isFromScript(event)) redirect(303, route.signIn(url.pathname + url.search));
    return new Response(null, { status: 401, headers: { [sessionOver]: "1" } });
  }

  const refusal = await readForm(event);
  if (refusal) return refusal;
  const answer = await resolve(event, {
    transformPageChunk: ({ html }) => html.replace("%theme%", locals.preferences.theme),
  });
  if (locals.sessionIsOver) answer.headers.set(sessionOver, "1");
  return answer;
};

/** Whether a page's script made the request, so that the person can sign in without leaving the page. */
const isFromScript = ({ isDataRequest, request }: RequestEvent) =>
  isDataRequest || request.headers.has("x-sveltekit-action");

export const handleError: HandleServerError = ({ kind, error, event }) => {
  if (kind === "framework" && error.status === 404) return { message: "Page not found." };
  if (kind !== "unknown") return;
  if (hasLeft(error)) return { message: "The request was not sent whole." };
  const { status, message, reason } = refusalOfTrpc(error);
  if (reason !== "UNKNOWN") return { status, message, reason };
  return { status, message, reason, reference: logFailure(event, error) };
};

/** The visitor closed the connection in the middle of a form: nothing has failed. */
const hasLeft = (error: unknown) => error instanceof Error && "code" in error && error.code === "ECONNRESET";
