import type { IncomingMessage, ServerResponse } from "node:http";
import { clientSite, MemoryReservation } from "@faultline/plugin";

/** The largest body that a handler takes: mappings of ProGuard. */
const largestBytes = 16 * 1024 * 1024;

/** How long the form of a page may take to arrive, in milliseconds. Other requests have the server's limit of 30 s. */
const formMs = 10_000;

/** The bytes still accepted after the answer is ready, so that the sender can read it before the connection closes. */
const ignoredBytes = 128 * 1024;

/**
 * Charges a request's body to its network from the first byte until the answer ends, because pages, REST and plugins
 * keep what they read in memory. Ingestion charges its bodies itself, more exactly. Returns false if the announced
 * bytes do not fit now; the caller then refuses the request. If a body runs out of room later, the connection is closed
 * without an answer, because the handler may already have begun to answer.
 */
export function chargeBody(
  request: IncomingMessage,
  response: ServerResponse,
  { clientIp, isForm }: { clientIp: string; isForm: boolean },
): boolean {
  const { "content-length": announced, "transfer-encoding": encoding } = request.headers;
  if (encoding === undefined && (announced === undefined || announced === "0")) return true;
  const { socket } = request;
  const reservation = new MemoryReservation(clientSite(clientIp));
  // The handler refuses bodies that are larger than any handler takes.
  const isTaken = Number(announced ?? 0) <= largestBytes;
  if (isTaken && !reservation.hold(Number(announced ?? 0))) return false;
  reservation.hold(0); // until its bytes arrive: a stalled body holds nothing
  const isLate = () => {
    if (!request.complete) socket.destroy();
  };
  const late = isForm ? setTimeout(isLate, formMs) : undefined;
  response.once("close", () => {
    clearTimeout(late);
    reservation[Symbol.dispose]();
  });
  let afterAnswer = 0;
  // Every byte passes through `push`, whether the reader listens, pipes or waits.
  const push = request.push.bind(request);
  request.push = (chunk: Buffer | null, encodingOfChunk) => {
    const length = chunk?.length ?? 0;
    if (response.writableEnded) afterAnswer += length;
    const fits = response.closed || reservation.hold(reservation.bytes + length);
    if (fits && afterAnswer <= ignoredBytes) return push(chunk, encodingOfChunk);
    socket.destroy();
    return false;
  };
  return true;
}
