import { http, type HttpAnswer } from "../http/http.ts";
import { rootToken, type Server } from "../service/server.ts";

export interface WebApiCall {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Default: the administrator's token. Null sends no token. */
  readonly token?: string | null;
}

/** Calls the API under `/api/0`: `webApi(server, "GET /projects/")`. */
export function webApi(
  server: Pick<Server, "url">,
  call: string,
  { body, token = rootToken }: WebApiCall = {},
): Promise<HttpAnswer> {
  const [method = "", path = ""] = call.split(" ", 2);
  const text = body === undefined ? undefined : JSON.stringify(body);
  return http(`${server.url}/api/0${path}`, {
    method,
    headers: {
      "Content-Type": "application/json",
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      ...(text === undefined ? {} : { "Content-Length": `${Buffer.byteLength(text)}` }),
    },
    ...(text === undefined ? {} : { body: text }),
  });
}

/**
 * The cursors of an answer as GitLab's client reads them: it splits the header at commas, and only parts with
 * `results="true"` count.
 */
export function cursorsOf({ headers }: HttpAnswer): { next?: string; previous?: string } {
  const parts = String(headers["link"] ?? "").split(",");
  return Object.fromEntries(
    parts
      .filter((part) => part.includes('results="true"'))
      .map((part) => [/rel="(\w+)"/.exec(part)?.[1] ?? "", /cursor="([^"]*)"/.exec(part)?.[1] ?? ""]),
  );
}
