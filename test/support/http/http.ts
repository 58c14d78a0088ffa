import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { stretched } from "../run/deadlines.ts";

export interface HttpRequest {
  /** Default GET. */
  readonly method?: string;
  /** An object, or a list of names and values to send a name twice. */
  readonly headers?: Readonly<Record<string, string>> | readonly string[];
  readonly body?: string | Uint8Array;
  /** The longest time to wait for the answer on a quiet machine, in milliseconds. Default: 20 s. */
  readonly timeoutMs?: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: unknown;
}

/** Sends one request on a new connection, exactly as given: it adds, follows and decodes nothing. */
export function http(
  url: string | URL,
  { method = "GET", headers = {}, body, timeoutMs = 20_000 }: HttpRequest = {},
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const allowedMs = stretched(timeoutMs);
    const isList = Array.isArray(headers);
    const outgoing = httpRequest(
      url,
      { method, headers: isList ? [...headers] : { ...headers }, agent: false, timeout: allowedMs },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("error", reject);
        incoming.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json: parsed(text) });
        });
      },
    );
    outgoing.on("timeout", () =>
      outgoing.destroy(new Error(`no answer to ${method} ${url} within ${allowedMs / 1000} s`)),
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a test that expects JSON notices
  }
}
