import type { HttpRequest } from "#lib/messages.ts";

const filtered = "[Filtered]";
const secretHeaders = new Set([
  "authorization",
  "cookie",
  "private-token",
  "proxy-authorization",
  "set-cookie",
  "x-api-key",
  "x-auth-token",
  "x-csrf-token",
]);

/** Headers, or variables of the server such as `HTTP_COOKIE`, with the values of secrets hidden. */
export function hideSecrets<T>(values: Readonly<Record<string, T>>): Record<string, T | typeof filtered> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isSecret(name) ? filtered : value]));
}

const isSecret = (name: string) =>
  secretHeaders.has(
    name
      .toLowerCase()
      .replaceAll("_", "-")
      .replace(/^http-/, ""),
  );

/** Indents JSON; anything else stays unchanged. */
export function prettyBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body; // a body need not be JSON
  }
}

/** The address of the request with its query, which comes before a route in the fragment. */
export function addressOf({ url, queryString }: Pick<HttpRequest, "url" | "queryString">): string {
  if (queryString === "") return url;
  const route = url.indexOf("#");
  return route < 0 ? `${url}?${queryString}` : `${url.slice(0, route)}?${queryString}${url.slice(route)}`;
}

/** The request as a command line, without hidden values. All parts come from an event, so all are quoted. */
export function requestAsCurl({ method, url, queryString, headers, data }: HttpRequest): string {
  const address = addressOf({ url, queryString });
  const shown = Object.entries(hideSecrets(headers)).filter(([, value]) => value !== filtered);
  return [
    "curl",
    // A body alone would make the request a POST.
    ...(method === "" || (method === "GET" && data === "") ? [] : ["-X", quoted(method)]),
    ...(/[[\]{}]/.test(address) ? ["--globoff"] : []),
    "--url",
    quoted(address),
    ...shown.flatMap(([name, value]) => ["-H", quoted(`${name}: ${value}`)]),
    ...(data === "" ? [] : ["--data-raw", quoted(data)]),
  ].join(" ");
}

/** Quotes a text for a POSIX shell. */
export const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
