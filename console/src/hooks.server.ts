import { randomUUID } from "node:crypto";
import { redirect } from "@sveltejs/kit";
import type { Handle, HandleServerError } from "@sveltejs/kit/hooks";
import { readPreferences } from "#lib/preferences.ts";
import { route } from "#lib/route.ts";
import { sessionToken } from "#lib/server/session.ts";
import { callerFor } from "#lib/server/trpc/caller.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);
const openRoutes = new Set<string | null>(["/-/sign_in", "/-/sign_out", "/-/trpc/[...procedure]", null]);

export const handle: Handle = async ({ event, resolve }) => {
  const { request, url, cookies, locals } = event;
  if (!safeMethods.has(request.method) && request.headers.get("origin") !== url.origin) {
    return new Response("This request did not come from this site.", { status: 403 });
  }

  locals.token = sessionToken(cookies);
  locals.preferences = readPreferences((name) => cookies.get(name));
  locals.api = callerFor(event);
  if (locals.token === undefined && !openRoutes.has(event.route.id)) {
    redirect(303, route.signIn(url.pathname + url.search));
  }

  const response = await resolve(event, {
    transformPageChunk: ({ html }) => html.replace("%theme%", locals.preferences.theme),
  });
  if (!response.headers.has("cache-control")) response.headers.set("Cache-Control", "no-store");
  response.headers.set("X-Content-Type-Options", "nosniff");
  // With no-referrer a browser sends `Origin: null` with a plain form, which the check above must refuse.
  response.headers.set("Referrer-Policy", "same-origin");
  return response;
};

export const handleError: HandleServerError = ({ kind, error, event }) => {
  if (kind === "framework" && error.status === 404) return { message: "Page not found." };
  if (kind !== "unknown") return;
  const { status, message, reason } = refusalOfTrpc(error);
  if (reason !== "UNKNOWN") return { status, message, reason };
  const reference = randomUUID();
  process.stderr.write(
    `${JSON.stringify({ level: "error", reference, path: event.url.pathname, error: told(error) })}\n`,
  );
  return { status, message, reason, reference };
};

const told = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error));
