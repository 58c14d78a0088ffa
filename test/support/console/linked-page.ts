import type { HttpAnswer } from "../http/http.ts";

/**
 * The path below /api/v4, with its query, of the page that the header Link names; undefined if the header names none.
 */
export function linkedPage({ headers }: HttpAnswer, rel: "prev" | "next" | "first" | "last"): string | undefined {
  const link = String(headers["link"] ?? "")
    .split(", ")
    .find((one) => one.endsWith(`; rel="${rel}"`));
  const address = link && /^<(.*)>;/.exec(link)?.[1];
  if (!address) return undefined;
  const { pathname, search } = new URL(address);
  return pathname.replace("/api/v4", "") + search;
}
