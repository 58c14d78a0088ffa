import { maxWindowBytes } from "../limits.ts";
import { IngestRefusal } from "../refusal.ts";
import { brotliStart } from "./brotli-start.ts";

const mebibyte = 1024 * 1024;

/** `ZSTD_d_windowLogMax` for that bound: a later frame may ask for more than the first one, whose header is read here. */
export const zstdWindowLogMax = 21;

/**
 * The bytes of memory that decoding a body takes for its window, read from the body's first bytes; a header that is cut
 * off or missing counts as the largest window. Refuses with 415 a window that is too large.
 */
export function windowBytes(encoding: "gzip" | "deflate" | "br" | "zstd", start: Buffer): number {
  switch (encoding) {
    case "br":
      return bounded("brotli", brotliStart(start).windowBytes, maxWindowBytes.br);
    case "zstd":
      return bounded("zstd", zstdWindow(start), maxWindowBytes.zstd);
    default:
      return 32 * 1024; // RFC 1951
  }
}

function bounded(name: string, bytes: number | undefined, max: number): number {
  if (bytes === undefined) return max;
  if (bytes <= max) return bytes;
  throw windowTooLarge(name, max);
}

export function windowTooLarge(name: string, max: number): IngestRefusal {
  return new IngestRefusal(415, `The ${name} body needs a window of more than ${max / mebibyte} MiB to decode.`, [
    `Compress it with a window of ${max / mebibyte} MiB or less.`,
  ]);
}

/** Window_Descriptor or, of a single segment, Frame_Content_Size: RFC 8878 section 3.1.1.1. Undefined: not told. */
function zstdWindow(start: Buffer): number | undefined {
  if (start.length < 6 || start.readUInt32LE(0) !== 0xfd2fb528) return undefined;
  const [descriptor = 0, window = 0] = start.subarray(4);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  if (!isSingleSegment) {
    const base = 2 ** (10 + (window >> 3));
    return base + (base / 8) * (window & 7);
  }
  const at = 5 + ([0, 1, 2, 4][descriptor & 3] ?? 0); // behind the Dictionary_ID
  switch (descriptor >> 6) {
    case 0:
      return start[at];
    case 1:
      return start.length < at + 2 ? undefined : start.readUInt16LE(at) + 256;
    case 2:
      return start.length < at + 4 ? undefined : start.readUInt32LE(at);
    default:
      return start.length < at + 8 ? undefined : Number(start.readBigUInt64LE(at));
  }
}
