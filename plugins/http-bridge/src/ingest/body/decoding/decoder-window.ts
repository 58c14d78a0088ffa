import { maxWindowBytes } from "../../limits.ts";
import { IngestRefusal } from "../../refusal.ts";
import { brotliStart } from "./brotli-start.ts";
import { zstdStart } from "./zstd-start.ts";

const mebibyte = 1024 * 1024;

/** `ZSTD_d_windowLogMax` for that bound: a later frame may ask for more than the first one, whose header is read here. */
export const zstdWindowLogMax = 21;

/**
 * The bytes of memory that the window of a body's decoder takes, read from the body's first bytes; a header that is cut
 * off or missing counts as the largest window. Refuses with 415 a window that is too large.
 */
export function windowBytes(encoding: "gzip" | "deflate" | "br" | "zstd", start: Buffer): number {
  switch (encoding) {
    case "br":
      return bounded("brotli", brotliStart(start).windowBytes, maxWindowBytes.br);
    case "zstd":
      return bounded("zstd", zstdStart(start).windowBytes, maxWindowBytes.zstd);
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
