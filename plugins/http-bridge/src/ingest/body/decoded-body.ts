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

/** Reads and decompresses a whole body. A streamed body counts as sent plain. */
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
 * The limits for bodies that are decompressed in one step on the event loop. This saves a typical body of a few
 * kilobytes 30 microseconds. It takes at most 4 ms, or 10 ms for a body that consists of gzip code tables, which yield
 * next to nothing. A body that announces a larger size is decoded elsewhere: starting each bomb of 1.6 kB took 0.6 ms
 * of the loop. For gzip, which SDKs send, the largest event counts as small, so that a storm of such events does not
 * wait for decoders along with bombs; a body yields no more than its trailer says. A brotli body must announce a small
 * size, because a decoder fills its whole window before its first output, so no output limit stops it sooner: 14 bytes
 * took 8.5 ms, 128 KiB of code tables 107 ms. Encoders announce the size from quality 2 on.
 */
const small = {
  compressed: 128 * 1024,
  decoded: { gzip: maxEventBytes + 64 * 1024, deflate: 512 * 1024, zstd: 512 * 1024, br: 256 * 1024 },
  brotliCompressed: 16 * 1024,
};

/** Reads a body if it is small, otherwise only its start; streamBody reads the rest. */
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

/**
 * Reads a body, or only its start if it is large, without decoding. Refuses a body if its own header announces a bomb.
 */
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

/**
 * Only zstd announces its size at the start, and its decoder refuses larger bodies. The gzip trailer may hold anything.
 */
function refuseAnnouncedBomb(sent: Buffer, encodingHeader: string | undefined): void {
  const encoding = encodingOf(sent, encodingHeader);
  if (encoding !== "zstd") return;
  windowBytes(encoding, sent); // refuses with a more specific reason
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

/** The bytes that a body may decompress to; undefined if it is not small. */
function smallBytes(encoding: Encoding, sent: Buffer): number | undefined {
  if (encoding === "br" && sent.length > small.brotliCompressed) return undefined;
  const most = small.decoded[encoding];
  const announced = announcedBytes(encoding, sent) ?? (encoding === "br" ? Infinity : most);
  return announced > most ? undefined : Math.max(1, announced); // Node refuses 0
}

/** The large bodies that begin to be read per turn: reading 200 took 180 ms of the event loop. */
const turns = new LoopTurns(2);

/** The bytes that Node reads ahead of a body (`highWaterMark` of a stream). */
const readAheadBytes = 64 * 1024;

/**
 * Resolves when a large body may be read, and meanwhile counts the bytes that Node read ahead. When 200 bodies of 140
 * kB arrived simultaneously, all were read in one turn of the event loop, and other events waited for up to 200 ms.
 */
export async function readingTurn(reservation: MemoryReservation): Promise<void> {
  if (!turns.isFree) reservation.hold(readAheadBytes);
  await new Promise<void>((begin) => turns.take(begin));
}
