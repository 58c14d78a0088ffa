import type { IncomingMessage, ServerResponse } from "node:http";
import { clientSite } from "@faultline/plugin";

/**
 * `PRIVATE-TOKEN: <token>` (specification 4.1) or `Authorization: Bearer <token>`; never the query, which is logged.
 * Several different tokens count as none, because a proxy in front may have meant a different token than we would take.
 */
export function tokenOf({ headersDistinct }: IncomingMessage): string | undefined {
  const tokens = new Set([
    ...(headersDistinct["private-token"] ?? []).filter((token) => token !== ""),
    ...(headersDistinct["authorization"] ?? []).flatMap((text) => /^bearer\s+(\S+)$/i.exec(text)?.[1] ?? []),
  ]);
  return tokens.size === 1 ? [...tokens][0] : undefined;
}

/**
 * The callers that share a turn: a site, separate from the site's calls with a token. Anybody can send any number of
 * requests without a token.
 */
export const callerOf = (request: IncomingMessage, ip: string): string =>
  tokenOf(request) === undefined ? clientSite(ip) : `${clientSite(ip)} with a token`;

/** Whether an error was thrown because the client left before its request was complete: nobody waits for an answer. */
export function isOfLeftClient(thrown: unknown, request: IncomingMessage): boolean {
  const isReset = thrown instanceof Error && "code" in thrown && thrown.code === "ECONNRESET";
  return isReset && request.destroyed && !request.complete;
}

/** Aborted if the client leaves before its answer is complete. Call it before the answer begins. */
export function signalOf(response: ServerResponse): AbortSignal {
  const left = new AbortController();
  response.once("close", () => {
    if (!response.writableEnded) left.abort();
  });
  return left.signal;
}

const maxBodyBytes = 64 * 1024;

/** The body of a call; undefined if it exceeds `maxBytes`. */
export async function readBody(request: IncomingMessage, maxBytes = maxBodyBytes): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
