import { crc32, deflateRawSync } from "node:zlib";

/**
 * A gzip body of which the beginning differs from request to request and the rest is compressed once (level 6, as SDKs do): the
 * beginning becomes a stored block in front of the compressed blocks of one ordinary gzip member. This lets the
 * generator make a million distinct bodies without compressing a million times.
 */
export class GzipTemplate {
  readonly #rest: Buffer;
  readonly #compressed: Buffer;

  constructor(rest: string) {
    this.#rest = Buffer.from(rest);
    this.#compressed = deflateRawSync(this.#rest, { level: 6 });
  }

  /** The parts of the gzip body of `beginning` + rest; the middle one is shared. `beginning` is at most 64 kB. */
  body(beginning: Buffer): [Buffer, Buffer, Buffer] {
    const storedBlock = Buffer.alloc(5);
    storedBlock.writeUInt16LE(beginning.length, 1);
    storedBlock.writeUInt16LE(0xff_ff - beginning.length, 3);
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(crc32(this.#rest, crc32(beginning)), 0);
    trailer.writeUInt32LE(beginning.length + this.#rest.length, 4);
    return [Buffer.concat([gzipHeader, storedBlock, beginning]), this.#compressed, trailer];
  }
}

const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 3]);
