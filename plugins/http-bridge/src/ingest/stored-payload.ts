import type { StoredPayload } from "@faultline/plugin/sentry-event";
import { PayloadEncoding } from "@faultline/proto";

/** The body of a request, as it was sent and decompressed. */
export interface Body {
  readonly sent: Buffer;
  readonly decoded: Buffer;
}

/**
 * What is stored of an event. When its JSON is a part of a gzipped body, the body is kept as it came: compressed
 * already, it costs no time and a fifth of the disk, and the write of a 64 kB event takes a quarter of the time.
 */
export function storedPayload(json: Buffer, body: Body | undefined): StoredPayload {
  const offset = body ? json.byteOffset - body.decoded.byteOffset : -1;
  const isPart = body !== undefined && json.buffer === body.decoded.buffer && offset >= 0;
  if (!isPart || body.sent.length >= json.length || body.sent[0] !== 0x1f || body.sent[1] !== 0x8b) {
    return { content: json, encoding: PayloadEncoding.UNSPECIFIED, offset: 0, length: 0 };
  }
  return { content: body.sent, encoding: PayloadEncoding.GZIP, offset, length: json.length };
}
