import type { Cookies } from "@sveltejs/kit";

const cookieName = "faultline_last_project";
const maxAgeSeconds = 365 * 86_400;

/** The path of the project visited last. */
export const lastProject = (cookies: Cookies) => cookies.get(cookieName);

export function rememberProject(cookies: Cookies, url: URL, projectPath: string): void {
  if (cookies.get(cookieName) === projectPath) return;
  cookies.set(cookieName, projectPath, {
    path: "/",
    sameSite: "lax",
    secure: url.protocol === "https:",
    maxAge: maxAgeSeconds,
  });
}
