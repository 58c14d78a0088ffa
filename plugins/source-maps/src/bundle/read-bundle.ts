import { bytesOf, type BundleBytes, isWholeBuffer } from "./bundle-bytes.ts";
import {
  BundleError,
  quoted,
  readableBytes,
  defaultBundleLimits,
  type BundleLimits,
  maxNameLength,
} from "./bundle-error.ts";
import { normalDebugId } from "./debug-id.ts";
import { contentOf, refuseLarge, type PackedEntry } from "./inflate-entry.ts";
import { readDirectory, type ZipDirectory, type ZipEntry } from "./zip-directory.ts";

export interface BundleFile extends ManifestFile {
  readonly content: Buffer;
}

/** A bundle of minified files and source maps, as sentry-cli and the plugins of bundlers upload it. */
export interface Bundle extends Pick<Manifest, "release" | "dist" | "bundleId"> {
  /** All that the manifest lists, without their contents. */
  readonly list: Manifest["files"];
  /** Sentences about what was left out; none if all is well. */
  readonly warnings: readonly string[];
  /** The file of a path in the list as it is in the bundle; it is verified where it is unpacked. */
  packed(path: string): Promise<PackedEntry>;
  /** The bytes of a path in the list, inflated. */
  sizeOf(path: string): number;
  /** The content of a path in the list. Throws BundleError if it is damaged. */
  content(path: string): Promise<Buffer>;
  /** Inflates one file after the other. Throws BundleError at the first that is damaged. */
  files(): AsyncIterable<BundleFile>;
}

/**
 * Opens a bundle: 8 bytes, `SYSB` and a version, then a zip with offsets that count from the start of the 8 bytes; older clients
 * send the bare zip. Throws BundleError when anything is malformed or exceeds a limit; contents are verified by `files`.
 */
export async function readBundle(
  zip: Buffer | BundleBytes,
  limits: BundleLimits = defaultBundleLimits,
): Promise<Bundle> {
  const bytes = Buffer.isBuffer(zip) ? bytesOf(zip) : zip;
  if (bytes.size > limits.bundleBytes) {
    const sentence = `The bundle has ${readableBytes(bytes.size)}; the limit is ${readableBytes(limits.bundleBytes)}. Upload the build in several parts.`;
    throw new BundleError("too_large", sentence);
  }
  await refuseOtherVersions(bytes);
  const directory = await readDirectory(bytes, limits);
  const { files: list, otherPaths, ...about } = await manifestOf(directory, limits);
  const entryOf = (file: ManifestFile) => directory.entries.get(file.path) ?? missing(file);
  refuseSizes(list.map(entryOf), limits);
  return {
    ...about,
    list,
    warnings: otherPaths.length === 0 ? [] : [otherTypes(otherPaths)],
    async packed(path) {
      const entry = directory.entries.get(path) ?? missing({ path });
      const sent = await directory.read(entry);
      // A separate buffer can be handed to a thread; of a shared buffer the thread would get a copy of everything.
      return { entry, sent: isWholeBuffer(sent) ? sent : Uint8Array.from(sent) };
    },
    sizeOf: (path) => (directory.entries.get(path) ?? missing({ path })).bytes,
    content: (path) => contentOf(directory, directory.entries.get(path) ?? missing({ path })),
    async *files() {
      for (const file of list) yield { ...file, content: await contentOf(directory, entryOf(file)) };
    },
  };
}

const magic = "SYSB";
const version = 2;

async function refuseOtherVersions(bytes: BundleBytes): Promise<void> {
  const start = await bytes.read(0, Math.min(8, bytes.size));
  if (start.toString("latin1", 0, 2) === "PK") return; // the bare zip
  if (start.length < 8 || start.toString("latin1", 0, 4) !== magic) {
    throw new BundleError(
      "not_a_bundle",
      "The upload is not an artifact bundle: it begins neither with SYSB nor as a zip. Upload it with sentry-cli or a bundler's plugin.",
    );
  }
  const found = start.readUInt32LE(4);
  if (found === version) return;
  throw new BundleError(
    "unknown_version",
    `The bundle has format version ${found}, but only version ${version} is supported.`,
  );
}

const manifestName = "manifest.json";

async function manifestOf(directory: ZipDirectory, limits: BundleLimits): Promise<Manifest> {
  const entry = directory.entries.get(manifestName);
  if (!entry) throw new BundleError("no_manifest", `The bundle has no ${manifestName}, which lists its files.`);
  refuseLarge(entry, { bytes: limits.manifestBytes, name: "the manifest" }, limits);
  return parseManifest(await contentOf(directory, entry));
}

function refuseSizes(entries: readonly ZipEntry[], limits: BundleLimits): void {
  for (const entry of entries) refuseLarge(entry, { bytes: limits.fileBytes, name: "one file" }, limits);
  // Sizes come from the directory. They bind, because a file that inflates to more is refused while it inflates.
  const all = entries.reduce((sum, { bytes }) => sum + bytes, 0);
  if (all <= limits.allBytes) return;
  const sentence = `The files of the bundle have ${readableBytes(all)} in all; the limit is ${readableBytes(limits.allBytes)}. Upload the build in several parts.`;
  throw new BundleError("too_large", sentence);
}

function missing({ path }: Pick<ManifestFile, "path">): never {
  throw new BundleError(
    "missing_entry",
    `The bundle's ${manifestName} lists ${quoted(path)}, but this entry does not exist.`,
  );
}

function otherTypes(paths: readonly string[]): string {
  const [first = ""] = paths;
  const others = paths.length === 1 ? "" : ` and ${paths.length - 1} more`;
  return `${quoted(first)}${others} was left out because only scripts and source maps are read.`;
}

/** The types of files that are read; a bundle may hold others. */
const fileTypes = ["source", "minified_source", "source_map", "indexed_ram_bundle"] as const;

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
interface Manifest {
  readonly release?: string;
  readonly dist?: string;
  /** Lower-case UUID. */
  readonly bundleId?: string;
  readonly files: readonly ManifestFile[];
  /** The paths of files with a type that is not read. */
  readonly otherPaths: readonly string[];
}

/** Parses manifest.json. Throws BundleError when it is not JSON, not an object, or names a file in another form. */
function parseManifest(content: Buffer): Manifest {
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
