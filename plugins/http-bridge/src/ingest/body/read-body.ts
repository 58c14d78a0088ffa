import type { IncomingMessage } from "node:http";
import { IngestRefusal } from "../refusal.ts";
import { contentTooLarge } from "./decoding/content-encoding.ts";
import { ByteBuffer } from "./byte-buffer.ts";
import type { MemoryReservation } from "./memory-budget.ts";
import { addReceivedBytes } from "./received-bytes.ts";

/**
 * The bytes of a refused body that are still read, so that the client gets the answer instead of a connection reset.
 */
const drainedBytes = 4 * 1024 * 1024;

/** The bytes of a body received so far. If it is incomplete, the request is paused. */
export interface BodyStart {
  readonly bytes: Buffer;
  readonly isWhole: boolean;
}

/** Reads a body until it ends or exceeds `maxBytes`. */
export function readBodyStart(
  request: IncomingMessage,
  maxBytes: number,
  reservation: MemoryReservation,
): Promise<BodyStart> {
  // The client left while the request waited for its turn. Node emits no more data, and no second `end` or `close`.
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
      if (request.readableEnded) return; // already resolved
      leave();
      reject(bodyCutOff());
    };
    // A listener would keep the gathered bytes, uncounted, for as long as a refused client stays. An ended body is not
    // kept, so its listeners stay.
    const leave = () => {
      addReceivedBytes(request, buffer.size);
      request.off("data", take).off("end", end).off("close", close);
    };
    request.on("data", take).on("end", end).on("close", close); // an error also closes it
  });
}

/** Refuses a body with a Content-Length that is too large, before it is read. */
export function refuseAnnounced(request: IncomingMessage, maxBytes: number): void {
  if (Number(request.headers["content-length"] ?? 0) <= maxBytes) return;
  drain(request);
  throw contentTooLarge(maxBytes);
}

/** Reads and discards the rest of a body, up to a limit. */
export function drain(request: IncomingMessage): void {
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > drainedBytes) request.destroy();
  });
  request.resume();
}

export function bodyCutOff(): IngestRefusal {
  return new IngestRefusal(400, "The body is incomplete.", [], { outcome: "cut_off" });
}
