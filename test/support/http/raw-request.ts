import { sentryAuth, type Target } from "../sentry/send.ts";

/** A request with the parts that a test chooses. */
export interface RawRequest {
  /** Default: `store`. */
  readonly door?: "store" | "envelope";
  /** Default: POST. */
  readonly method?: string;
  /** Default: the address of `door`. */
  readonly target?: string;
  /** Default: HTTP/1.1. */
  readonly version?: string;
  /** Headers in addition to Host, X-Sentry-Auth and Content-Length; null omits one of these. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: string | Uint8Array;
}

/** The head of a request to a project, with its blank line. */
export function headOf({ id, key }: Target, request: RawRequest): string {
  const { door = "store", method = "POST", version = "1.1", body = "" } = request;
  const headers = {
    Host: "faultline.test",
    "X-Sentry-Auth": sentryAuth(key),
    "Content-Length": `${Buffer.byteLength(body)}`,
    ...request.headers,
  };
  const lines = Object.entries(headers).filter(([, value]) => value !== null);
  const target = request.target ?? `/api/${id}/${door}/`;
  return [`${method} ${target} HTTP/${version}`, ...lines.map(([name, value]) => `${name}: ${value}`), "\r\n"].join(
    "\r\n",
  );
}

/** A request to a project as bytes. */
export function bytesOf(project: Target, request: RawRequest): Buffer {
  return Buffer.concat([Buffer.from(headOf(project, request), "latin1"), Buffer.from(request.body ?? "")]);
}

/** The headers that send a body in chunks. */
export const chunkedHeaders = { "Content-Length": null, "Transfer-Encoding": "chunked" } as const;

/** A body in chunks of `size` bytes. */
export function chunked(body: string | Uint8Array, size: number): Buffer {
  const bytes = Buffer.from(body);
  const parts: (string | Buffer)[] = [];
  for (let offset = 0; offset < bytes.length; offset += size) {
    const part = bytes.subarray(offset, offset + size);
    parts.push(`${part.length.toString(16)}\r\n`, part, "\r\n");
  }
  return Buffer.concat([...parts, "0\r\n\r\n"].map((part) => Buffer.from(part)));
}
