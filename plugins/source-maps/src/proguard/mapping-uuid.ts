import { createHash } from "node:crypto";

/** The UUID of `guardsquare.com` in the namespace of domain names, in which sentry-cli numbers mappings (checked with 3.8.0). */
const namespace = uuid5(Buffer.from("6ba7b8109dad11d180b400c04fd430c8", "hex"), Buffer.from("guardsquare.com"));

/** The UUID of a mapping by its bytes, as sentry-cli computes it: version 5 (RFC 9562, section 5.5). */
export function mappingUuid(mapping: Uint8Array): string {
  return uuid5(namespace, mapping)
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function uuid5(space: Uint8Array, name: Uint8Array): Buffer {
  const bytes = createHash("sha1").update(space).update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes;
}
