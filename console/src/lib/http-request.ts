import type { HttpRequest } from "./messages.ts";

const filtered = "[Filtered]";
const secretHeaders = new Set(["authorization", "cookie", "proxy-authorization", "set-cookie", "x-api-key"]);

/** The headers with the values of secrets hidden. */
export function hideSecrets(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, secretHeaders.has(name.toLowerCase()) ? filtered : value]),
  );
}

/** JSON indented, anything else as it is. */
export function prettyBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body; // a body need not be JSON
  }
}

/** The request as a command line, without hidden values. */
export function requestAsCurl({ method, url, queryString, headers, data }: HttpRequest): string {
  const shown = Object.entries(hideSecrets(headers)).filter(([, value]) => value !== filtered);
  return [
    "curl",
    ...(method === "" || method === "GET" ? [] : ["-X", method]),
    quoted(queryString === "" ? url : `${url}?${queryString}`),
    ...shown.flatMap(([name, value]) => ["-H", quoted(`${name}: ${value}`)]),
    ...(data === "" ? [] : ["--data-raw", quoted(data)]),
  ].join(" ");
}

/** For a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
