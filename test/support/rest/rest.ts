import { http, type HttpAnswer } from "../http/http.ts";
import { rootToken, type Server } from "../service/server.ts";

export interface RestCall {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Default: the administrator's token. Null sends no token. */
  readonly token?: string | null;
}

/** Calls the REST API: `rest(server, "POST /projects", { body })`. */
export function rest(
  server: Pick<Server, "url">,
  call: string,
  { body, token = rootToken }: RestCall = {},
): Promise<HttpAnswer> {
  const [method = "", path = ""] = call.split(" ", 2);
  const text = body === undefined ? undefined : JSON.stringify(body);
  return http(`${server.url}/api/v4${path}`, {
    method,
    headers: {
      ...(token === null ? {} : { "PRIVATE-TOKEN": token }),
      ...(text === undefined
        ? {}
        : { "Content-Type": "application/json", "Content-Length": `${Buffer.byteLength(text)}` }),
    },
    ...(text === undefined ? {} : { body: text }),
  });
}
