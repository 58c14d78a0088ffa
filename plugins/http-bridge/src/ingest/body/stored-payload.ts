import type { StoredPayload } from "@faultline/sentry-event";
import { PayloadEncoding } from "@faultline/proto";

/** The sent body of a request, before and after decompression. */
export interface Body {
  readonly sent: Buffer;
  readonly decoded: Buffer;
  readonly isGzip: boolean;
}

/**
 * The bytes besides the event's JSON that each read may decompress. Header lines take far less, but gzip packs 40 MiB
 * of blank lines into next to nothing.
 */
const maxExtraBytes = 64 * 1024;

/**
 * The stored form of an event. If its JSON is a part of a gzipped body, the body is stored unchanged: it is already
 * compressed, so it costs no time and a fifth of the disk, and writing a 64 kB event takes a quarter of the time.
 */
export function storedPayload(json: Buffer, body: Body | undefined): StoredPayload {
  const offset = body ? json.byteOffset - body.decoded.byteOffset : -1;
  const isPart = body?.isGzip === true && json.buffer === body.decoded.buffer && offset >= 0;
  if (!isPart || body.sent.length >= json.length || body.decoded.length - json.length > maxExtraBytes) {
    return { content: json, encoding: PayloadEncoding.UNSPECIFIED, offset: 0, length: 0 };
  }
  return { content: body.sent, encoding: PayloadEncoding.GZIP, offset, length: json.length };
}
