/** What is wrong with a bundle. */
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
