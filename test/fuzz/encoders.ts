import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";

/** A possible meaning of a `Content-Encoding`, with the fastest settings. */
export interface Encoder {
  /** The header; empty for none. */
  readonly name: string;
  readonly encode: (body: Buffer) => Buffer;
}

export const plain: Encoder = { name: "", encode: (body) => body };
export const bareDeflate: Encoder = { name: "deflate", encode: (body) => deflateRawSync(body, { level: 1 }) };

/** One for each encoding that is understood. */
export const encoders: readonly Encoder[] = [
  { name: "gzip", encode: (body) => gzipSync(body, { level: 1 }) },
  { name: "deflate", encode: (body) => deflateSync(body, { level: 1 }) },
  { name: "br", encode: (body) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }) },
  { name: "zstd", encode: (body) => zstdCompressSync(body) },
];
