import type { Cookies, RequestEvent } from "@sveltejs/kit";
import { createCaller } from "#lib/server/trpc/router.ts";

type Secret = "session" | "device";

/** With https, no other host, not even a subdomain, can set a cookie of this name (RFC 6265bis, 4.1.3.2). */
const cookieName = (secret: Secret, { protocol }: URL) =>
  `${protocol === "https:" ? "__Host-" : ""}faultline_${secret}`;

/** The core ends unused sessions much earlier, but a browser cannot know when. */
const keptDays = { session: 30, device: 90 } as const;

/**
 * The token of the session; undefined for a cookie that the core never made, because headers cannot carry arbitrary
 * text.
 */
export function sessionToken(cookies: Cookies, url: URL): string | undefined {
  const token = cookies.get(cookieName("session", url)) ?? "";
  return /^fls_[\w-]+$/.test(token) ? token : undefined;
}

/** The client that signs in. The core stores it with the session and counts attempts per client. */
export const signingIn = (event: RequestEvent) => ({
  clientAddress: event.getClientAddress(),
  userAgent: event.request.headers.get("user-agent") ?? "",
});

/** The token that tells the core that this browser signed in before; empty for a value that the core never made. */
export function deviceToken({ cookies, url }: RequestEvent): { readonly deviceToken?: string } {
  const token = cookies.get(cookieName("device", url)) ?? "";
  return /^fld_\w{1,60}$/.test(token) ? { deviceToken: token } : {};
}

/** Stores a new session in the browser and ends its previous session, so that nobody can continue to use it. */
export async function startSession(
  event: RequestEvent,
  begun: { readonly sessionToken: string; readonly deviceToken: string },
): Promise<void> {
  const { locals } = event;
  if (locals.token !== undefined) await endSession(locals.token);
  locals.token = begun.sessionToken; // the answering page already belongs to the new session
  keep(event, "session", begun.sessionToken);
  keep(event, "device", begun.deviceToken); // outlives the session and a sign-out
}

function keep({ cookies, url }: RequestEvent, secret: Secret, token: string): void {
  cookies.set(cookieName(secret, url), token, {
    path: "/",
    httpOnly: true,
    sameSite: "lax",
    secure: url.protocol === "https:",
    maxAge: keptDays[secret] * 86_400,
  });
}

/** Ends a session. If the core cannot be reached, the session expires automatically. */
export async function endSession(token: string): Promise<void> {
  await createCaller({ token, signal: undefined })
    .accounts.signOut({})
    .catch(() => undefined);
}

export function forgetSession(cookies: Cookies, url: URL): void {
  cookies.delete(cookieName("session", url), { path: "/", secure: url.protocol === "https:" });
}
