/** The fault of a bundle. */
export type BundleErrorCode =
  | "not_a_bundle"
  | "unknown_version"
  | "malformed_zip"
  | "encrypted"
  | "unsupported_compression"
  | "duplicate_entry"
  | "overlapping_entries"
  | "invalid_name"
  | "damaged_entry"
  | "no_manifest"
  | "malformed_manifest"
  | "missing_entry"
  | "too_large"
  | "too_many_entries"
  | "expands_too_much";

/** A bundle that is refused: its code, and a sentence for the person who uploaded it: what is wrong, and what to do. */
export class BundleError extends Error {
  readonly code: BundleErrorCode;

  constructor(code: BundleErrorCode, sentence: string) {
    super(sentence);
    this.name = "BundleError";
    this.code = code;
  }
}

/** A name from a bundle in a sentence: quoted, without control characters, at most 200 characters. */
export function quoted(name: string): string {
  return JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}...` : name);
}

/** A number of bytes in a sentence. */
export function readableBytes(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${Number(value.toFixed(1))} ${units[unit]}`;
}

/**
 * The limits of a bundle; a refusal names the limit and its value. Minified files and maps of real builds compress to a third to a
 * twelfth of their size.
 */
export interface BundleLimits {
  /** Of the bundle as it was uploaded. */
  readonly bundleBytes: number;
  readonly entries: number;
  /** Bytes of the names of all entries, which stay in memory while the bundle is read. */
  readonly nameLength: number;
  /** Of manifest.json. */
  readonly manifestBytes: number;
  /** Bytes of one file, inflated. */
  readonly fileBytes: number;
  /** How many times its compressed size a file may have, if it has more than `expandedBytes`. */
  readonly expansion: number;
  /** Files up to this size may expand as they like: a source map of little but separators does. */
  readonly expandedBytes: number;
  /** Bytes of all files, inflated. */
  readonly allBytes: number;
}

const MiB = 1024 * 1024;

export const defaultBundleLimits: BundleLimits = {
  bundleBytes: 1024 * MiB,
  entries: 20_000,
  nameLength: 8 * MiB, // the manifest lists them
  manifestBytes: 8 * MiB,
  fileBytes: 64 * MiB,
  expansion: 50,
  expandedBytes: MiB,
  allBytes: 4096 * MiB,
};

/** Characters of an entry's name and of a URL. */
export const maxNameLength = 4096;
