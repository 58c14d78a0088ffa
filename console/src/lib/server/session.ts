import type { Cookies, RequestEvent } from "@sveltejs/kit";
import { core } from "#lib/server/core.ts";

/** With https no other host, not even a sub-domain, can set a cookie of this name (RFC 6265bis, 4.1.3.2). */
const cookieName = ({ protocol }: URL) => (protocol === "https:" ? "__Host-faultline_session" : "faultline_session");

/** The core ends a session that is not used much earlier; a browser cannot know when. */
const maxAgeSeconds = 30 * 86_400;

/** The session's token; undefined for a cookie that the core never made, as a header could not carry any text. */
export function sessionToken(cookies: Cookies, url: URL): string | undefined {
  const token = cookies.get(cookieName(url)) ?? "";
  return /^fls_[\w-]+$/.test(token) ? token : undefined;
}

/** Who is about to sign in, as the core keeps it with the session and counts attempts by it. */
export const signingIn = (event: RequestEvent) => ({
  clientAddress: event.getClientAddress(),
  userAgent: event.request.headers.get("user-agent") ?? "",
});

/** Keeps a new session in the browser and ends the one it had before, so that nobody goes on with an older one. */
export async function startSession({ cookies, url, locals }: RequestEvent, token: string): Promise<void> {
  if (locals.token !== undefined) await endSession(locals.token);
  locals.token = token; // the page that answers is of the new session already
  cookies.set(cookieName(url), token, {
    path: "/",
    httpOnly: true,
    sameSite: "lax",
    secure: url.protocol === "https:",
    maxAge: maxAgeSeconds,
  });
}

/** Ends a session; if the core cannot be told, it ends by its own time. */
export async function endSession(token: string): Promise<void> {
  await core.accounts.signOut({}, { token }).catch(() => undefined);
}

export function forgetSession(cookies: Cookies, url: URL): void {
  cookies.delete(cookieName(url), { path: "/", secure: url.protocol === "https:" });
}
