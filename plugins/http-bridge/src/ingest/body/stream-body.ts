import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { contentDecoder, contentTooLarge, corruptContent } from "./content-encoding.ts";
import { bodyCutOff, drain, type BodyStart } from "./read-body.ts";

/** Bytes of a body as sent and after decompression. */
export interface BodyLimits {
  readonly compressed: number;
  readonly decoded: number;
}

/** A body of which the start has come, its limits, and what takes it when it is decompressed. */
interface BodyStream {
  readonly start: BodyStart;
  readonly max: BodyLimits;
  readonly take: (piece: Buffer) => void;
}

/**
 * Decompresses a body while it comes and hands it to `take` piece by piece; neither side is ahead of the other by more
 * than a few pieces. Refuses with 413 as soon as it is too large, with 400 what is corrupt or cut off, and with what
 * `take` throws.
 */
export async function streamBody(request: IncomingMessage, body: BodyStream): Promise<void> {
  try {
    const decoder = contentDecoder(body.start.bytes, request.headers["content-encoding"]);
    try {
      await pump(request, decoder, body);
    } finally {
      request.unpipe(decoder);
      decoder.destroy();
    }
  } finally {
    if (!request.readableEnded) drain(request);
  }
}

// Not stream.pipeline: it would end the connection with a refusal unsent, and notice a refusal only with the next chunk.
async function pump(request: IncomingMessage, decoder: Duplex, { start, max, take }: BodyStream): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let decodedBytes = 0;
  decoder.on("data", (piece: Buffer) => {
    decodedBytes += piece.length;
    if (decodedBytes > max.decoded) {
      reject(contentTooLarge(max.decoded));
      return;
    }
    try {
      take(piece);
    } catch (error) {
      reject(error);
    }
  });
  decoder.on("end", resolve);
  decoder.on("error", () => reject(corruptContent()));
  if (start.isWhole) {
    decoder.end(start.bytes);
    return promise;
  }
  let sentBytes = start.bytes.length;
  decoder.write(start.bytes);
  const count = (chunk: Buffer) => {
    sentBytes += chunk.length;
    if (sentBytes > max.compressed) reject(contentTooLarge(max.compressed));
  };
  const close = () => {
    if (!request.complete) reject(bodyCutOff());
  };
  request.on("data", count).on("close", close);
  request.pipe(decoder);
  try {
    return await promise;
  } finally {
    request.off("data", count).off("close", close); // else what was taken is held for as long as a refused client stays
  }
}
