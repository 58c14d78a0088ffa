import type { IncomingMessage } from "node:http";

/** A field of the request, because a WeakMap adds work to each garbage collection. */
const received = Symbol("bytes of the body that were received");

interface Counted extends IncomingMessage {
  [received]?: number;
}

/** Counts bytes of a request's body when they arrive. */
export function addReceivedBytes(request: Counted, bytes: number): void {
  request[received] = receivedBytes(request) + bytes;
}

/** Bytes of a request's body read so far, before decompression. */
export function receivedBytes(request: Counted): number {
  return request[received] ?? 0;
}
