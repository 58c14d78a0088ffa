import { fromRandomAccessReaderPromise, type Entry, type ZipFile } from "yauzl";
import { ZipReader, type BundleBytes } from "./bundle-bytes.ts";
import { BundleError, quoted, maxNameLength, type BundleLimits } from "./bundle-error.ts";

/** An entry of a zip; its sizes are what the directory says, which inflation verifies. */
export interface ZipEntry {
  /** A text key, never a path: `../x` is as harmless as any other. */
  readonly name: string;
  readonly isDeflated: boolean;
  readonly compressedBytes: number;
  readonly bytes: number;
  readonly crc32: number;
  /** Of its local header. */
  readonly offset: number;
}

/** The entries of a zip by name, and the compressed bytes of each. */
export interface ZipDirectory {
  readonly entries: ReadonlyMap<string, ZipEntry>;
  /** Throws BundleError when they reach into the next entry. */
  read(entry: ZipEntry): Promise<Buffer>;
}

/**
 * Reads the directory of a zip (PKWARE's APPNOTE 6.3.10), with zip64, from its end record; offsets count from the start of
 * the bundle. Throws BundleError for too many entries, long names in all, equal names, entries that share bytes, encryption, and
 * compression other than deflate.
 */
export async function readDirectory(bytes: BundleBytes, limits: BundleLimits): Promise<ZipDirectory> {
  const entries = new Map<string, ZipEntry>();
  try {
    const zip = await openZip(bytes);
    refuseMany(zip, limits);
    let nameLength = 0;
    for await (const found of zip.eachEntry()) {
      const entry = entryOf(found);
      const { name } = entry;
      nameLength += name.length;
      if (nameLength > limits.nameLength) throw namesTooLong(limits);
      if (entries.has(name))
        throw new BundleError("duplicate_entry", `The bundle has two entries named ${quoted(name)}.`);
      entries.set(name, entry);
    }
  } catch (error) {
    throw error instanceof BundleError ? error : malformed(error instanceof Error ? error.message : String(error));
  }
  const ends = endsOf([...entries.values()], bytes.size);
  return { entries, read: (entry) => compressedOf(bytes, entry, ends.get(entry) ?? 0) };
}

/** Names as bytes: yauzl would refuse `../` and rewrite backslashes. Sizes are compared where an entry is inflated. */
function openZip(bytes: BundleBytes): Promise<ZipFile> {
  const options = { autoClose: false, decodeStrings: false, validateEntrySizes: false };
  return fromRandomAccessReaderPromise(new ZipReader(bytes), bytes.size, options);
}

function refuseMany({ entryCount }: ZipFile, limits: BundleLimits): void {
  if (entryCount <= limits.entries) return;
  const sentence = `The bundle has ${entryCount} entries; the limit is ${limits.entries}. Upload the build in several parts.`;
  throw new BundleError("too_many_entries", sentence);
}

const namesTooLong = ({ nameLength }: BundleLimits) =>
  new BundleError(
    "too_large",
    `The names of the bundle's entries have more than ${nameLength} characters in all. Upload the build in several parts.`,
  );

/** The needed part of an entry: yauzl's own holds up to 192 KiB of comments and extra fields. */
function entryOf(found: Entry): ZipEntry {
  const name = nameOf(found);
  if (found.isEncrypted()) {
    throw new BundleError("encrypted", `The entry ${quoted(name)} is encrypted. Upload the bundle without a password.`);
  }
  const method = found.compressionMethod;
  if (method !== STORED && method !== DEFLATED) {
    const sentence = `The entry ${quoted(name)} is compressed with method ${method}, but only stored and deflated entries are supported.`;
    throw new BundleError("unsupported_compression", sentence);
  }
  return {
    name,
    isDeflated: method === DEFLATED,
    compressedBytes: found.compressedSize,
    bytes: found.uncompressedSize,
    crc32: found.crc32,
    offset: found.relativeOffsetOfLocalHeader,
  };
}

/** UTF-8, which the clients write also if they leave out the flag for it. */
function nameOf({ fileNameRaw }: Entry): string {
  const name = fileNameRaw.toString("utf8");
  if (name === "" || name.length > maxNameLength || name.includes("\0")) {
    const sentence = `The name ${quoted(name)} of an entry is empty, holds a NUL, or has more than ${maxNameLength} characters.`;
    throw new BundleError("invalid_name", sentence);
  }
  return name;
}

/**
 * Where each entry must end: where the next one begins. Entries that share bytes let a zip of some kilobytes inflate to
 * terabytes (David Fifield, "A better zip bomb", 2019).
 */
function endsOf(entries: readonly ZipEntry[], size: number): ReadonlyMap<ZipEntry, number> {
  const inOrder = entries.toSorted((one, other) => one.offset - other.offset);
  const ends = new Map(inOrder.map((entry, i) => [entry, inOrder[i + 1]?.offset ?? size]));
  for (const [entry, end] of ends) {
    if (entry.offset + localHeaderBytes + entry.compressedBytes > end) throw overlapping(entry);
  }
  return ends;
}

async function compressedOf(bytes: BundleBytes, entry: ZipEntry, end: number): Promise<Buffer> {
  const header = await bytes.read(entry.offset, entry.offset + localHeaderBytes);
  if (header.readUInt32LE(0) !== localHeaderSignature) {
    throw malformed(`the entry ${quoted(entry.name)} does not begin where the directory says`);
  }
  const nameBytes = header.readUInt16LE(26);
  const extraBytes = header.readUInt16LE(28); // may differ from the directory's
  const start = entry.offset + localHeaderBytes + nameBytes + extraBytes;
  if (start + entry.compressedBytes > end) throw overlapping(entry);
  return await bytes.read(start, start + entry.compressedBytes);
}

function malformed(reason: string): BundleError {
  return new BundleError("malformed_zip", `The bundle is not a complete and valid zip: ${reason}. Upload it again.`);
}

function overlapping({ name }: ZipEntry): BundleError {
  const sentence = `The entry ${quoted(name)} overlaps another entry or the end of the file. Upload the bundle again.`;
  return new BundleError("overlapping_entries", sentence);
}

const STORED = 0;
const DEFLATED = 8;

/** APPNOTE, section 4.3.7: up to the name. */
const localHeaderBytes = 30;
const localHeaderSignature = 0x04034b50;
