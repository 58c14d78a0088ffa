import { gunzipSync } from "node:zlib";
import { PayloadEncoding } from "@faultline/proto";
import type { PayloadTable } from "./tables.ts";

/** The event's JSON as it was sent. */
export function eventJson({ encoding, start, length, content }: PayloadTable): Buffer {
  const decoded = encoding === PayloadEncoding.GZIP ? gunzipSync(content) : content;
  return length === 0 ? decoded.subarray(start) : decoded.subarray(start, start + length);
}
