import type { Cookies } from "@sveltejs/kit";

const cookieName = "faultline_session";

export const sessionToken = (cookies: Cookies) => cookies.get(cookieName);

/** Keeps the session token in the browser until the session ends. */
export function keepSession(cookies: Cookies, url: URL, token: string, expires: Date): void {
  cookies.set(cookieName, token, {
    path: "/",
    httpOnly: true,
    sameSite: "lax",
    secure: url.protocol === "https:",
    expires,
  });
}

export function forgetSession(cookies: Cookies, url: URL): void {
  cookies.delete(cookieName, { path: "/", secure: url.protocol === "https:" });
}
