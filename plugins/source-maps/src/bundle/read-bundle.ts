import { bytesOf, type BundleBytes, isWholeBuffer } from "./bundle-bytes.ts";
import { BundleError, quoted, readableBytes, defaultBundleLimits, type BundleLimits } from "./bundle-error.ts";
import { contentOf, refuseLarge, type PackedEntry } from "./inflate-entry.ts";
import { parseManifest, type Manifest, type ManifestFile } from "./manifest.ts";
import { readDirectory, type ZipDirectory, type ZipEntry } from "./zip-directory.ts";

/** A file of a bundle with its content. */
export interface BundleFile extends ManifestFile {
  readonly content: Buffer;
}

/** A bundle of minified files and source maps, as sentry-cli and the plugins of bundlers upload it. */
export interface Bundle extends Pick<Manifest, "release" | "dist" | "bundleId"> {
  /** All that the manifest lists, without their contents. */
  readonly list: Manifest["files"];
  /** Sentences about what was left out; none if all is well. */
  readonly warnings: readonly string[];
  /** The file of a path in the list as it lies in the bundle; it is verified where it is unpacked. */
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
