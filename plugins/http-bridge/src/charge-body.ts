import type { IncomingMessage, ServerResponse } from "node:http";
import { clientSite, MemoryReservation } from "@faultline/plugin";

/** The largest body that a handler takes: mappings of ProGuard. */
const largestBytes = 16 * 1024 * 1024;

/** How long the form of a page may take to arrive, in milliseconds. Other requests have the 30 s of the server. */
const formMs = 10_000;

/** The bytes that are still taken of a body when its answer is there, so that its sender reads the answer before the connection ends. */
const ignoredBytes = 128 * 1024;

/**
 * Charges the body of a request to its network from the arrival of its bytes until the answer ends, because pages, REST and plugins
 * hold what they read. Ingestion charges its bodies itself, more exactly. Returns false when the announced bytes do not fit now:
 * the caller refuses the request. Later the connection is closed without an answer, because the handler may have begun to answer.
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
  // A body larger than any handler takes is the handler's to refuse.
  const isTaken = Number(announced ?? 0) <= largestBytes;
  if (isTaken && !reservation.hold(Number(announced ?? 0))) return false;
  reservation.hold(0); // until its bytes come: a stalled body holds nothing
  const isLate = () => {
    if (!request.complete) socket.destroy();
  };
  const late = isForm ? setTimeout(isLate, formMs) : undefined;
  response.once("close", () => {
    clearTimeout(late);
    reservation[Symbol.dispose]();
  });
  let afterAnswer = 0;
  // Each byte passes here, whether its reader listens, pipes or waits.
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
