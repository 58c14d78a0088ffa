import type { IncomingMessage } from "node:http";

/** A field of the request, as a WeakMap gives each collection of garbage more to do. */
const received = Symbol("bytes of the body that were received");

interface Counted extends IncomingMessage {
  [received]?: number;
}

/** Counts bytes of a request's body as they came. */
export function addReceivedBytes(request: Counted, bytes: number): void {
  request[received] = receivedBytes(request) + bytes;
}

/** Bytes of a request's body that were read, before decompression. */
export function receivedBytes(request: Counted): number {
  return request[received] ?? 0;
}
