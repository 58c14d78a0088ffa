/**
 * What a bundle may hold; a refusal names the limit and its value. Minified files and maps of real builds compress to a third to a
 * twelfth of their size.
 */
export interface BundleLimits {
  /** Of the bundle as it was uploaded. */
  readonly bundleBytes: number;
  readonly entries: number;
  /** Of the names of all entries, which stay in memory while the bundle is read. */
  readonly nameLength: number;
  /** Of manifest.json. */
  readonly manifestBytes: number;
  /** Of one file, inflated. */
  readonly fileBytes: number;
  /** How many times its compressed size a file may have, where it has more than `expandedBytes`. */
  readonly expansion: number;
  /** Files up to this size may expand as they like: a source map of little but separators does. */
  readonly expandedBytes: number;
  /** Of all files, inflated. */
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
