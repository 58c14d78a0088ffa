import { RandomAccessReader } from "yauzl";

/** The bytes of a bundle, which may lie in memory or in stored chunks. */
export interface BundleBytes {
  /** In bytes. */
  readonly size: number;
  /** The bytes from `start` up to `end`, which are within the bundle; a view where that is possible. */
  read(start: number, end: number): Promise<Buffer>;
}

/** A bundle in memory. */
export function bytesOf(zip: Buffer): BundleBytes {
  return { size: zip.length, read: async (start, end) => zip.subarray(start, end) };
}

/** The bytes as yauzl reads the directory of a zip: it never asks for a stream, as entries are read by `BundleBytes`. */
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
