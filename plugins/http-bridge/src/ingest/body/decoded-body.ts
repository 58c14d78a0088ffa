import type { IncomingMessage } from "node:http";
import { IngestRefusal } from "../refusal.ts";
import { brotliStart } from "./brotli-start.ts";
import { decode, encodingOf, refuseBomb } from "./content-encoding.ts";
import { Gathered } from "./gathered.ts";
import { Holding } from "./holding.ts";
import { readBodyStart, refuseAnnounced, type BodyStart } from "./read-body.ts";
import { nextTurn, type Sender } from "./sender.ts";
import type { Body } from "./stored-payload.ts";
import { streamBody, type BodyLimits } from "./stream-body.ts";

/** Reads and decompresses a body that is needed as a whole. A body that was streamed counts as sent plain. */
export async function readDecodedBody(request: IncomingMessage, max: BodyLimits, sender: Sender): Promise<Body> {
  using holding = new Holding();
  const { start, body } = await readSmallBody(request, { max, holding, sender });
  if (body) return body;
  const gathered = new Gathered();
  const take = (piece: Buffer) => {
    sender.charge({ bytes: piece.length });
    gathered.push(piece);
    holding.hold(start.bytes.length + gathered.size);
  };
  await streamBody(request, { start, max, take, holding });
  await nextTurn(sender);
  const decoded = gathered.take();
  return { sent: decoded, decoded, isGzip: false };
}

/**
 * What is decompressed in one go on the event loop, which saves a usual body of some kilobytes 30 microseconds and takes
 * some 10 ms at most. Not only the result counts: of nothing but code tables, which yield next to nothing, 128 KiB take
 * 10 ms in gzip, and 107 ms in brotli. A decoder of brotli fills its whole window before the first byte comes out, so that no
 * bound of the result ends it sooner: 14 bytes took 8.5 ms. So a brotli body must say at its start that it is no larger than
 * what takes 1 ms, which encoders do from quality 2 on.
 */
const small = {
  compressed: 128 * 1024,
  decoded: 2 * 1024 * 1024,
  brotli: { compressed: 16 * 1024, decoded: 256 * 1024 },
};

/** Reads a body when it is small, else its start alone: the rest is for streamBody. */
export async function readSmallBody(
  request: IncomingMessage,
  { max, holding, sender }: { max: BodyLimits; holding: Holding; sender: Sender },
): Promise<{ start: BodyStart; body: Body | undefined }> {
  const start = await readStart(request, max, holding);
  if (!start.isWhole) return { start, body: undefined };
  await nextTurn(sender);
  const body = decodeSmall(start.bytes, request.headers["content-encoding"]);
  if (body) sender.charge({ bytes: body.decoded.length });
  return { start, body };
}

/** Reads a body, or its start when it is not small, and decodes nothing. */
export function readStart(request: IncomingMessage, max: BodyLimits, holding: Holding): Promise<BodyStart> {
  refuseAnnounced(request, max.compressed);
  return readBodyStart(request, small.compressed, holding);
}

function decodeSmall(sent: Buffer, encodingHeader: string | undefined): Body | undefined {
  const encoding = encodingOf(sent, encodingHeader);
  if (encoding === "br" && !isSmallBrotli(sent)) return undefined;
  try {
    return { sent, decoded: decode(sent, encoding, small.decoded), isGzip: encoding === "gzip" };
  } catch (error) {
    if (!(error instanceof IngestRefusal) || error.status !== 413) throw error;
    refuseBomb(sent.length, small.decoded);
    return undefined;
  }
}

function isSmallBrotli(sent: Buffer): boolean {
  const { wholeBytes = Infinity } = brotliStart(sent);
  return sent.length <= small.brotli.compressed && wholeBytes <= small.brotli.decoded;
}
