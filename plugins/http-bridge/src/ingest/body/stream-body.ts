import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { IngestRefusal } from "../refusal.ts";
import {
  contentDecoder,
  contentTooLarge,
  decodingRefusal,
  encodingOf,
  refuseBomb,
  windowBytes,
} from "./decoding/content-encoding.ts";
import { decoderSlot, type DecoderSlot } from "./decoding/decoder-slots.ts";
import type { MemoryReservation } from "./memory-budget.ts";
import { bodyCutOff, drain, type BodyStart } from "./read-body.ts";
import { addReceivedBytes } from "./received-bytes.ts";

/** Bytes of a body before and after decompression. */
export interface BodyLimits {
  readonly compressed: number;
  readonly decoded: number;
}

/** A body with its received start, its limits, and the function that takes its decompressed pieces. */
interface BodyStream {
  readonly start: BodyStart;
  readonly max: BodyLimits;
  /** Takes the next piece; decompression pauses while its promise is pending. */
  readonly take: (piece: Buffer) => void | Promise<void>;
  readonly reservation: MemoryReservation;
  /** Bytes of a piece. Default: 64 KiB. */
  readonly pieceBytes?: number;
}

/** The minimum pace of a client if others wait for its decoder: some bytes every two seconds, and an overall speed. */
const leastSpeed = { silentMs: 2_000, bytesPerSecond: 64 * 1024 };

const lookMs = 250;

/**
 * Decompresses a body while it arrives and passes it to `take` in pieces; neither side is ahead by more than a few
 * pieces. Refuses with 413 as soon as the body is too large or expands too much, with 400 if it is corrupt or
 * truncated, with 503 if it gets no decoder or blocks a decoder that others wait for, and with any error that `take`
 * throws.
 */
export async function streamBody(request: IncomingMessage, body: BodyStream): Promise<void> {
  try {
    const { reservation, start } = body;
    const encoding = encodingOf(start.bytes, request.headers["content-encoding"]);
    using slot = encoding && (await decoderSlot(request));
    if (encoding) reservation.holdWindow(windowBytes(encoding, start.bytes));
    const decoder = contentDecoder(start.bytes, encoding, body.pieceBytes);
    try {
      await pump(request, decoder, body, slot);
    } finally {
      request.unpipe(decoder);
      decoder.destroy();
      reservation.holdWindow(0);
    }
  } finally {
    if (!request.readableEnded) drain(request);
  }
}

// Not stream.pipeline: it would close the connection before a refusal is sent, and notice it only with the next chunk.
async function pump(
  request: IncomingMessage,
  decoder: Duplex,
  { start, max, take }: BodyStream,
  slot: DecoderSlot | undefined,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let sentBytes = start.bytes.length;
  let decodedBytes = 0;
  decoder.on("data", (piece: Buffer) => {
    decodedBytes += piece.length;
    try {
      if (slot) refuseBomb(sentBytes, decodedBytes);
      if (decodedBytes > max.decoded) throw contentTooLarge(max.decoded);
      const taken = take(piece);
      if (!taken) return;
      decoder.pause();
      taken.then(() => decoder.resume(), reject);
    } catch (error) {
      reject(error);
    }
  });
  decoder.on("end", resolve);
  decoder.on("error", (error) => reject(decodingRefusal(error)));
  if (start.isWhole) {
    decoder.end(start.bytes);
    return promise;
  }
  decoder.write(start.bytes);
  const beganAt = performance.now();
  let lastSentAt = beganAt;
  const count = (chunk: Buffer) => {
    sentBytes += chunk.length;
    addReceivedBytes(request, chunk.length);
    lastSentAt = performance.now();
    if (sentBytes > max.compressed) reject(contentTooLarge(max.compressed));
  };
  const close = () => {
    if (!request.complete) reject(bodyCutOff());
  };
  const isSlow = (now: number) =>
    now - lastSentAt > leastSpeed.silentMs || sentBytes < ((now - beganAt) / 1000) * leastSpeed.bytesPerSecond;
  const watch = setInterval(() => {
    if (slot?.isAwaited !== true || !isSlow(performance.now())) return;
    reject(new IngestRefusal(503, "The body arrives too slowly while others wait. Send this again later."));
  }, lookMs);
  request.on("data", count).on("close", close);
  request.pipe(decoder);
  try {
    return await promise;
  } finally {
    clearInterval(watch);
    request.off("data", count).off("close", close); // otherwise the data is kept for as long as a refused client stays
  }
}
