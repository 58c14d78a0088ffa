import type { IncomingMessage } from "node:http";
import { maxEventBytes } from "../limits.ts";
import { IngestRefusal } from "../refusal.ts";
import {
  announcedBytes,
  decode,
  encodingOf,
  refuseBomb,
  type Encoding,
  windowBytes,
} from "./decoding/content-encoding.ts";
import { ByteBuffer } from "./byte-buffer.ts";
import { MemoryReservation } from "./memory-budget.ts";
import { readBodyStart, refuseAnnounced, type BodyStart } from "./read-body.ts";
import { nextTurn, type Sender } from "./sender.ts";
import type { Body } from "./stored-payload.ts";
import { streamBody, type BodyLimits } from "./stream-body.ts";
import { LoopTurns } from "../../loop-turns.ts";

/** Reads and decompresses a body that is needed as a whole. A body that was streamed counts as sent plain. */
export async function readDecodedBody(request: IncomingMessage, max: BodyLimits, sender: Sender): Promise<Body> {
  using reservation = new MemoryReservation();
  const { start, body } = await readSmallBody(request, { max, reservation, sender });
  if (body) return body;
  const buffer = new ByteBuffer();
  const take = (piece: Buffer) => {
    sender.charge({ bytes: piece.length });
    buffer.push(piece);
    reservation.hold(start.bytes.length + buffer.size);
  };
  await streamBody(request, { start, max, take, reservation });
  await nextTurn(sender);
  const decoded = buffer.take();
  return { sent: decoded, decoded, isGzip: false };
}

/**
 * Bodies that are decompressed in one go on the event loop. This saves a usual body of some kilobytes 30 microseconds and
 * takes 4 ms at most, or 10 ms for a body of nothing but gzip's code tables, which yield next to nothing. A body that announces
 * a larger size is not begun so: that took 0.6 ms of the loop for each bomb of 1.6 kB. SDKs send gzip: the largest event is
 * small, so that a storm of such events does not wait for decoders beside bombs, and a body yields no more than its trailer
 * says. A brotli body must announce that it is small: a decoder fills its whole window before its first output, so that no
 * bound of the output ends it sooner: 14 bytes took 8.5 ms, 128 KiB of code tables 107 ms. Encoders announce it from quality 2 on.
 */
const small = {
  compressed: 128 * 1024,
  decoded: { gzip: maxEventBytes + 64 * 1024, deflate: 512 * 1024, zstd: 512 * 1024, br: 256 * 1024 },
  brotliCompressed: 16 * 1024,
};

/** Reads a body when it is small, otherwise only its start: streamBody reads the rest. */
export async function readSmallBody(
  request: IncomingMessage,
  { max, reservation, sender }: { max: BodyLimits; reservation: MemoryReservation; sender: Sender },
): Promise<{ start: BodyStart; body: Body | undefined }> {
  const start = await readStart(request, max, reservation);
  if (!start.isWhole) return { start, body: undefined };
  await nextTurn(sender);
  const body = decodeSmall(start.bytes, request.headers["content-encoding"]);
  if (body) sender.charge({ bytes: body.decoded.length });
  return { start, body };
}

/** Reads a body, or its start when it is not small, and decodes nothing. Refuses a body whose own header announces a bomb. */
export async function readStart(
  request: IncomingMessage,
  max: BodyLimits,
  reservation: MemoryReservation,
): Promise<BodyStart> {
  refuseAnnounced(request, max.compressed);
  if (!(Number(request.headers["content-length"]) <= small.compressed)) await readingTurn(reservation);
  const start = await readBodyStart(request, small.compressed, reservation);
  if (start.isWhole) refuseAnnouncedBomb(start.bytes, request.headers["content-encoding"]);
  return start;
}

/** Only zstd announces its size at its start, and a body that exceeds it is refused too; gzip's trailer may be anything. */
function refuseAnnouncedBomb(sent: Buffer, encodingHeader: string | undefined): void {
  const encoding = encodingOf(sent, encodingHeader);
  if (encoding !== "zstd") return;
  windowBytes(encoding, sent); // has a refusal of its own, which says more
  refuseBomb(sent.length, announcedBytes(encoding, sent) ?? 0);
}

function decodeSmall(sent: Buffer, encodingHeader: string | undefined): Body | undefined {
  const encoding = encodingOf(sent, encodingHeader);
  if (encoding === undefined) return { sent, decoded: sent, isGzip: false };
  const most = smallBytes(encoding, sent);
  if (most === undefined) return undefined;
  try {
    return { sent, decoded: decode(sent, encoding, most), isGzip: encoding === "gzip" };
  } catch (error) {
    if (!(error instanceof IngestRefusal) || error.status !== 413) throw error;
    return undefined;
  }
}

/** The bytes that a body may decompress to; undefined: it is not small. */
function smallBytes(encoding: Encoding, sent: Buffer): number | undefined {
  if (encoding === "br" && sent.length > small.brotliCompressed) return undefined;
  const most = small.decoded[encoding];
  const announced = announcedBytes(encoding, sent) ?? (encoding === "br" ? Infinity : most);
  return announced > most ? undefined : Math.max(1, announced); // Node refuses 0
}

/** The large bodies whose reading begins at once: 200 took 180 ms of the event loop. */
const turns = new LoopTurns(2);

/** The bytes that Node reads ahead of a body (`highWaterMark` of a stream). */
const readAheadBytes = 64 * 1024;

/**
 * Resolves when a large body may be read, and counts meanwhile the bytes that Node read ahead. When 200 bodies of 140 kB came
 * at once, all were read in one turn of the event loop, and the events of others waited for up to 200 ms.
 */
export async function readingTurn(reservation: MemoryReservation): Promise<void> {
  if (!turns.isFree) reservation.hold(readAheadBytes);
  await new Promise<void>((begin) => turns.take(begin));
}
