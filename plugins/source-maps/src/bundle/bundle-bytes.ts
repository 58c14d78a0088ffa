import { RandomAccessReader } from "yauzl";

/** The bytes of a bundle, which may be in memory or in stored chunks. */
export interface BundleBytes {
  /** In bytes. */
  readonly size: number;
  /** The bytes from `start` up to `end`, which are within the bundle; a view if that is possible. */
  read(start: number, end: number): Promise<Buffer>;
}

/** A bundle in memory. */
export function bytesOf(zip: Buffer): BundleBytes {
  return { size: zip.length, read: async (start, end) => zip.subarray(start, end) };
}

/** The bytes as yauzl reads the directory of a zip: it never asks for a stream, because entries are read by `BundleBytes`. */
export class ZipReader extends RandomAccessReader {
  readonly #bytes: BundleBytes;

  constructor(bytes: BundleBytes) {
    super();
    this.#bytes = bytes;
  }

  /** yauzl wants the number of bytes as well, which its types lack. */
  override read(to: Buffer, offset: number, length: number, position: number, done: ReadDone): void {
    if (position + length > this.#bytes.size) {
      setImmediate(() => done(new Error("it is cut off")));
      return;
    }
    this.#bytes.read(position, position + length).then(
      (bytes) => done(null, bytes.copy(to, offset)),
      (error: Error) => done(error),
    );
  }
}

type ReadDone = (error: Error | null, bytesRead?: number) => void;

/** Smaller buffers may share their memory with others (Node's pool), and are left to the garbage collector. */
const leastBytes = 64 * 1024;

/** Room that inflation needs in addition to its result: Node takes another piece of the same size when one is full. */
export const spareBytes = 1;

/**
 * Gives back the memory of bytes that nobody needs any more, if they fill their buffer but for spare bytes: V8 collects buffers only after
 * 64 MiB of them, and a bundle may hold a thousand files of that size.
 */
export function releaseBytes(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes;
  const isTheirs = buffer.byteLength - byteLength <= spareBytes && buffer instanceof ArrayBuffer;
  if (byteLength >= leastBytes && isTheirs) buffer.transfer(0);
}

/** Whether the bytes are all of their buffer, so that it can be given away with them. */
export function isWholeBuffer(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  return bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer;
}
