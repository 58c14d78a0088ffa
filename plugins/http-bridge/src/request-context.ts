import type { IncomingMessage, ServerResponse } from "node:http";
import type { Host } from "@faultline/plugin";

/** The parts of a request for its handler. */
export class RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly host: Host;
  /** The parts of the path that the route's pattern names. */
  readonly path: Readonly<Record<string, string>>;
  /** The sender's address. */
  readonly clientIp: string;
  /** The headers to set on the response: names and values in turn. */
  readonly headers: RawHeaders;
  readonly #queryText: string;
  readonly #baseUrl: string | undefined;
  #query: URLSearchParams | undefined;

  constructor(
    message: { readonly request: IncomingMessage; readonly response: ServerResponse },
    parts: Pick<RequestContext, "host" | "path" | "clientIp" | "headers"> & {
      queryText: string;
      baseUrl: string | undefined;
    },
  ) {
    this.request = message.request;
    this.response = message.response;
    this.host = parts.host;
    this.path = parts.path;
    this.clientIp = parts.clientIp;
    this.headers = parts.headers;
    this.#queryText = parts.queryText;
    this.#baseUrl = parts.baseUrl;
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.#queryText);
    return this.#query;
  }

  /** The beginning of links to this service, such as `https://errors.example.com`. */
  get origin(): string {
    return originOf(this.request.headers.host, this.#baseUrl);
  }
}

/** Headers in the form of `writeHead`: names and values in turn. */
export type RawHeaders = readonly string[];

/** Answers a request; the route turns its errors into responses in the route's own form. */
export type Handler = (context: RequestContext) => Promise<void>;

/** A path with its methods. */
export interface Route {
  readonly pattern: RegExp;
  readonly methods: Readonly<Record<string, Handler>>;
  /** The callers of the route: SDKs, from any origin; programs, for data; or operators' health checks. */
  readonly kind: "ingestion" | "api" | "health";
  /** Answers methods that are not in the list. */
  readonly otherMethod: Handler;
}

/** Sends a JSON body. `headers` are added to the headers already set. */
export function sendJson(response: ServerResponse, status: number, body: unknown, headers?: RawHeaders): void {
  sendJsonText(response, status, JSON.stringify(body), headers);
}

/** Sends a body that is already JSON. */
export function sendJsonText(response: ServerResponse, status: number, text: string, headers: RawHeaders = []): void {
  const length = String(Buffer.byteLength(text));
  response.writeHead(status, [...headers, "content-type", "application/json", "content-length", length]);
  response.end(text);
}

/** Sets headers one by one, for a response that is changed or created elsewhere. */
export function setHeaders(response: ServerResponse, headers: RawHeaders): void {
  for (let n = 0; n < headers.length; n += 2) response.setHeader(headers[n] ?? "", headers[n + 1] ?? "");
}

/**
 * Scheme and host of this service, for links in answers. This is the configured base address, because a proxy may speak
 * TLS for us; otherwise the host that the caller used; empty, for relative links, if that is not a host name.
 */
function originOf(host: string | undefined, baseUrl: string | undefined): string {
  if (baseUrl !== undefined) return baseUrl;
  return /^([a-z0-9.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i.test(host ?? "") ? `http://${host}` : "";
}
