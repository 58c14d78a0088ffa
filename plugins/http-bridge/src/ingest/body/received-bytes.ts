import type { IncomingMessage } from "node:http";

/** A field of the request: a WeakMap took a microsecond an event, and more in each collection. */
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
