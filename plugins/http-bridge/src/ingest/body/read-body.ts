import type { IncomingMessage } from "node:http";
import { IngestRefusal } from "../refusal.ts";
import { contentTooLarge } from "./decoding/content-encoding.ts";
import { ByteBuffer } from "./byte-buffer.ts";
import type { MemoryReservation } from "./memory-budget.ts";
import { addReceivedBytes } from "./received-bytes.ts";

/** How much of a refused body is still read, so that the client sees the answer instead of a reset connection. */
const drainedBytes = 4 * 1024 * 1024;

/** What came of a body so far. When it is not whole, the request is paused. */
export interface BodyStart {
  readonly bytes: Buffer;
  readonly isWhole: boolean;
}

/** Reads a body until it ends or `maxBytes` are exceeded. */
export function readBodyStart(
  request: IncomingMessage,
  maxBytes: number,
  reservation: MemoryReservation,
): Promise<BodyStart> {
  // Its client left while it waited for its turn. Node gives out no more of it, and neither ends nor closes it again.
  if (request.destroyed) return Promise.reject(bodyCutOff());
  return new Promise((resolve, reject) => {
    const buffer = new ByteBuffer();
    const take = (chunk: Buffer) => {
      buffer.push(chunk);
      try {
        reservation.hold(buffer.size);
      } catch (error) {
        leave();
        drain(request);
        reject(error);
        return;
      }
      if (buffer.size <= maxBytes) return;
      leave();
      request.pause();
      resolve({ bytes: buffer.take(), isWhole: false });
    };
    const end = () => {
      addReceivedBytes(request, buffer.size);
      resolve({ bytes: buffer.take(), isWhole: true });
    };
    const close = () => {
      if (request.readableEnded) return; // it was resolved
      leave();
      reject(bodyCutOff());
    };
    // What listens on would hold what was gathered for as long as a refused client stays, and nobody would count it. Of a
    // body that ended nothing is held, so its listeners stay.
    const leave = () => {
      addReceivedBytes(request, buffer.size);
      request.off("data", take).off("end", end).off("close", close);
    };
    request.on("data", take).on("end", end).on("close", close); // an error closes it, too
  });
}

/** Refuses a body whose Content-Length is too large, before it comes. */
export function refuseAnnounced(request: IncomingMessage, maxBytes: number): void {
  if (Number(request.headers["content-length"] ?? 0) <= maxBytes) return;
  drain(request);
  throw contentTooLarge(maxBytes);
}

/** Reads on for a while what is not used any more. */
export function drain(request: IncomingMessage): void {
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > drainedBytes) request.destroy();
  });
  request.resume();
}

export function bodyCutOff(): IngestRefusal {
  return new IngestRefusal(400, "The body was not sent whole.");
}
