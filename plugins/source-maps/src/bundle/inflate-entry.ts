import { crc32, inflateRaw, inflateRawSync, type InputType, type ZlibOptions } from "node:zlib";
import { BundleError, quoted, readableBytes, type BundleLimits } from "./bundle-error.ts";
import { spareBytes } from "./bundle-bytes.ts";
import type { ZipDirectory, ZipEntry } from "./zip-directory.ts";

/**
 * Refuses an entry for the size that the directory says: before anything is inflated, because inflation yields no more than that size.
 * `limit`: in bytes, and its name in the refusal.
 */
export function refuseLarge(
  entry: ZipEntry,
  limit: { readonly bytes: number; readonly name: string },
  limits: BundleLimits,
): void {
  const { name, bytes, compressedBytes } = entry;
  if (bytes > limit.bytes) {
    const sentence = `The entry ${quoted(name)} has ${readableBytes(bytes)}; the limit of ${limit.name} is ${readableBytes(limit.bytes)}.`;
    throw new BundleError("too_large", sentence);
  }
  if (bytes > limits.expandedBytes && bytes > compressedBytes * limits.expansion) {
    const sentence = `The entry ${quoted(name)} expands to more than ${limits.expansion} times its compressed size, which is not allowed.`;
    throw new BundleError("expands_too_much", sentence);
  }
}

/**
 * The content of an entry that `refuseLarge` let pass. Throws BundleError when it does not have exactly the size and the
 * checksum that the directory says.
 */
export async function contentOf(directory: ZipDirectory, entry: ZipEntry): Promise<Buffer> {
  const sent = await directory.read(entry);
  const content = entry.isDeflated ? await inflate(entry, sent) : sent;
  if (content.length !== entry.bytes) throw wrongSize(entry);
  if ((await checksum(content)) !== entry.crc32) throw damaged(entry, "its checksum differs");
  return content;
}

/** An entry as it is in the bundle. */
export interface PackedEntry {
  readonly entry: ZipEntry;
  readonly sent: Uint8Array;
}

/** Like contentOf, but synchronous, for a thread. */
export function unpacked({ entry, sent }: PackedEntry): Buffer {
  const bytes = Buffer.from(sent.buffer, sent.byteOffset, sent.length);
  const content = entry.isDeflated ? inflateSync(entry, bytes) : bytes;
  if (content.length !== entry.bytes) throw wrongSize(entry);
  if (crc32(content) !== entry.crc32) throw damaged(entry, "its checksum differs");
  return content;
}

interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/** Node's types lack the form of the result that `info: true` asks for. */
const inflateWithInfo = inflateRaw as unknown as (
  sent: InputType,
  options: ZlibOptions,
  done: (error: Error | null, result: Inflated) => void,
) => void;
const inflateWithInfoSync = inflateRawSync as unknown as (sent: InputType, options: ZlibOptions) => Inflated;

/**
 * Off the event loop, and never more than the directory says. In one piece: pages of memory that nothing is inflated into are
 * never taken, and pieces that are joined at the end would take twice the size.
 */
async function inflate(entry: ZipEntry, sent: Buffer): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Inflated>();
  inflateWithInfo(sent, optionsOf(entry), (error, result) => {
    if (error) reject(inflationFault(entry, error));
    else resolve(result);
  });
  return whole(entry, sent, await promise);
}

function inflateSync(entry: ZipEntry, sent: Buffer): Buffer {
  try {
    return whole(entry, sent, inflateWithInfoSync(sent, optionsOf(entry)));
  } catch (error) {
    throw error instanceof BundleError ? error : inflationFault(entry, error);
  }
}

const optionsOf = ({ bytes }: ZipEntry) => ({
  maxOutputLength: Math.max(1, bytes), // Node refuses 0
  chunkSize: Math.max(bytes + spareBytes, 64), // Node refuses less
  info: true,
});

/** Node ignores what follows the end. */
function whole(entry: ZipEntry, sent: Buffer, { buffer, engine }: Inflated): Buffer {
  if (engine.bytesWritten !== sent.length) throw wrongSize(entry);
  return buffer;
}

function inflationFault(entry: ZipEntry, error: unknown): BundleError {
  const isTooLong = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
  return isTooLong ? wrongSize(entry) : damaged(entry, "it is not valid deflate data");
}

/** Bytes between two turns of the event loop, which take 1 ms. */
const bytesPerTurn = 4 * 1024 * 1024;

async function checksum(content: Buffer): Promise<number> {
  let sum = 0;
  for (let start = 0; start < content.length; start += bytesPerTurn) {
    if (start > 0) await new Promise(setImmediate);
    sum = crc32(content.subarray(start, start + bytesPerTurn), sum);
  }
  return sum;
}

function wrongSize(entry: ZipEntry): BundleError {
  return damaged(entry, `it does not have the ${entry.bytes} bytes that the bundle's directory says`);
}

function damaged({ name }: ZipEntry, reason: string): BundleError {
  return new BundleError("damaged_entry", `The entry ${quoted(name)} is damaged: ${reason}. Upload the bundle again.`);
}
