import { BundleError, quoted, maxNameLength } from "./bundle-error.ts";
import { normalDebugId } from "./debug-id.ts";

/** The types of files that are read; a bundle may hold others. */
export const fileTypes = ["source", "minified_source", "source_map", "indexed_ram_bundle"] as const;

export type BundleFileType = (typeof fileTypes)[number];

/** A file of a bundle, as its manifest says. */
export interface ManifestFile {
  /** The name of its entry: a text key, never a path. */
  readonly path: string;
  /** Such as `~/static/app.js` or `https://example.com/static/app.js`. */
  readonly url: string;
  readonly type: BundleFileType;
  readonly headers: { readonly debugId?: string; readonly sourceMap?: string };
}

/** The manifest of a bundle (section 2.1); unknown keys are ignored. */
export interface Manifest {
  readonly release?: string;
  readonly dist?: string;
  /** Lower-case UUID. */
  readonly bundleId?: string;
  readonly files: readonly ManifestFile[];
  /** The paths of files with a type that is not read. */
  readonly otherPaths: readonly string[];
}

/** Parses manifest.json. Throws BundleError when it is not JSON, not an object, or names a file in another form. */
export function parseManifest(content: Buffer): Manifest {
  const manifest = objectOf(parse(content), "It");
  const release = textOf(manifest["release"]);
  const dist = textOf(manifest["dist"]);
  const bundleId = normalDebugId(textOf(manifest["debug_id"]));
  const files = Object.entries(objectOf(manifest["files"] ?? {}, "Its field files"));
  const read = files.map(([path, value]) => fileOf(path, objectOf(value, `Its entry for ${quoted(path)}`)));
  return {
    // The plugins say "undefined" if they found no release.
    ...(release !== undefined && release !== "undefined" && { release }),
    ...(dist !== undefined && { dist }),
    ...(bundleId !== undefined && { bundleId }),
    files: read.filter((file) => file !== undefined),
    otherPaths: files.filter((_, i) => read[i] === undefined).map(([path]) => path),
  };
}

function marksOf(json: Buffer): number {
  let count = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === OBJECT || byte === ARRAY || byte === COLON || byte === COMMA) count++;
  }
  return count;
}

const OBJECT = 0x7b;
const ARRAY = 0x5b;
const COLON = 0x3a;
const COMMA = 0x2c;

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Brackets, colons and commas of a manifest; a file has 16 of them. JSON.parse runs on the event loop: 10 MiB of brackets
 * took a second, and 3 million empty objects 300 MiB.
 */
const mostMarks = 400_000;

function parse(content: Buffer): unknown {
  if (marksOf(content) > mostMarks) throw malformed(`It has more than ${mostMarks} brackets, colons and commas.`);
  try {
    return JSON.parse(content.toString("utf8"));
  } catch {
    throw malformed("It is not valid JSON.");
  }
}

function objectOf(value: unknown, what: string): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw malformed(`${what} is not a JSON object.`);
  return value as JsonObject; // an object, as checked
}

/** Absent and empty are the same. */
function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Undefined if its type is not read. */
function fileOf(path: string, file: JsonObject): ManifestFile | undefined {
  const type = fileTypes.find((one) => one === file["type"]);
  if (type === undefined) return undefined;
  const url = textOf(file["url"]) ?? path.replace(/^(?:files\/)?_\/_\//, "~/"); // what the clients write for `~/`
  if (url.length > maxNameLength || url.includes("\0")) {
    throw new BundleError(
      "invalid_name",
      `The URL ${quoted(url)} in manifest.json holds a NUL or has more than ${maxNameLength} characters.`,
    );
  }
  return { path, url, type, headers: headersOf(objectOf(file["headers"] ?? {}, `Its headers of ${quoted(path)}`)) };
}

function headersOf(headers: JsonObject): ManifestFile["headers"] {
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), textOf(value)]));
  const debugId = byName.get("debug-id");
  const sourceMap = byName.get("sourcemap") ?? byName.get("x-sourcemap");
  return { ...(debugId !== undefined && { debugId }), ...(sourceMap !== undefined && { sourceMap }) };
}

function malformed(reason: string): BundleError {
  return new BundleError("malformed_manifest", `The bundle's manifest.json cannot be read. ${reason}`);
}
