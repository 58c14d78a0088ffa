import { crc32 } from "node:zlib";
import type { PackedEntry } from "../../../plugins/source-maps/src/bundle/inflate-entry.ts";

/** An uncompressed entry of a bundle with these bytes. */
export function packed(sent: Uint8Array): PackedEntry {
  const { length: bytes } = sent;
  const entry = { name: "app.js", isDeflated: false, compressedBytes: bytes, bytes, crc32: crc32(sent), offset: 0 };
  return { entry, sent };
}
