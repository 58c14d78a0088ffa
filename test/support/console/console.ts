import { http, type HttpAnswer } from "../http/http.ts";
import { rootPassword, type Server } from "../service/server.ts";

type Headers = Readonly<Record<string, string>>;
type At = Pick<Server, "url">;

/** Posts a form like a page of the console. */
export function postForm(server: At, path: string, fields: Headers, headers: Headers = {}): Promise<HttpAnswer> {
  return http(server.url + path, {
    method: "POST",
    headers: {
      Accept: "text/html",
      Origin: server.url,
      "Content-Type": "application/x-www-form-urlencoded",
      ...headers,
    },
    body: new URLSearchParams(fields).toString(),
  });
}

/** Signs in with the form of the sign-in page, by default as the administrator. */
export function signInByForm(
  server: At,
  { username = "root", password = rootPassword, returnTo = "" } = {},
  headers: Headers = {},
): Promise<HttpAnswer> {
  const query = returnTo === "" ? "" : `?${new URLSearchParams({ return_to: returnTo })}`;
  return postForm(server, `/-/sign_in${query}`, { username, password }, headers);
}

/** Calls a tRPC procedure like a page of the console. */
export function callTrpc(server: At, procedure: string, input: unknown, headers: Headers): Promise<HttpAnswer> {
  return http(`${server.url}/-/trpc/${procedure}`, {
    method: "POST",
    headers: { Origin: server.url, "Content-Type": "application/json", ...headers },
    body: JSON.stringify(input),
  });
}

/** The cookies that an answer sets, with their attributes. */
export const cookiesSet = ({ headers }: HttpAnswer): readonly string[] => headers["set-cookie"] ?? [];

/** The cookie of the session that an answer begins, in the form that browsers send. */
export function sessionCookie(answer: HttpAnswer): string {
  const cookie = cookiesSet(answer).find((one) => /^(__Host-)?faultline_session=fls_/.test(one));
  if (cookie === undefined) throw new Error(`no session begins: ${answer.status} ${answer.text}`);
  return cookie.split(";", 1)[0] ?? "";
}

/** The token in the cookie of a session. */
export const tokenIn = (cookie: string) => cookie.slice(cookie.indexOf("=") + 1);
