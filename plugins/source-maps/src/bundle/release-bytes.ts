/** Smaller buffers may share their memory with others (Node's pool), and are left to the garbage collector. */
const leastBytes = 64 * 1024;

/** Room that inflation needs beside its result: Node takes another piece of the same size when one is full. */
export const spareBytes = 1;

/**
 * Gives back the memory of bytes that nobody needs any more, where all of their buffer is theirs, but for spare bytes: V8 collects buffers only after
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
