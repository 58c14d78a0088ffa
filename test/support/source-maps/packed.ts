import { crc32 } from "node:zlib";
import type { PackedEntry } from "../../../plugins/source-maps/src/bundle/inflate-entry.ts";

/** Bytes as an entry of a bundle that is not compressed. */
export function packed(sent: Uint8Array): PackedEntry {
  const { length: bytes } = sent;
  const entry = { name: "app.js", isDeflated: false, compressedBytes: bytes, bytes, crc32: crc32(sent), offset: 0 };
  return { entry, sent };
}
