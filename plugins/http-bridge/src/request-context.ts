import type { IncomingMessage, ServerResponse } from "node:http";
import type { Host } from "@faultline/plugin";

/** The parts of a request that its handler gets. */
export interface RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly host: Host;
  /** The parts of the path that the route's pattern names. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The sender's address. */
  readonly clientIp: string;
  /** The beginning of links to us, such as `https://errors.example.com`. */
  readonly origin: string;
}

/** Answers a request; the route turns an error that it throws into a response of the route's own form. */
export type Handler = (context: RequestContext) => Promise<void>;

/** A path with its methods. */
export interface Route {
  readonly pattern: RegExp;
  readonly methods: Readonly<Record<string, Handler>>;
  /** The callers of the route: SDKs, from any origin; programs, for data; or operators' health checks. */
  readonly kind: "ingestion" | "api" | "health";
  /** Answers a method that is not in the list. */
  readonly otherMethod: Handler;
}

/** Sends a JSON body. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  sendJsonText(response, status, JSON.stringify(body));
}

/** Sends a body that is already JSON. */
export function sendJsonText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
}
