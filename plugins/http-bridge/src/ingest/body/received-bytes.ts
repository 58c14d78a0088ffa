import type { IncomingMessage } from "node:http";

const received = new WeakMap<IncomingMessage, number>();

/** Counts bytes of a request's body as they came. */
export function addReceivedBytes(request: IncomingMessage, bytes: number): void {
  received.set(request, receivedBytes(request) + bytes);
}

/** Bytes of a request's body that were read, before decompression. */
export function receivedBytes(request: IncomingMessage): number {
  return received.get(request) ?? 0;
}
