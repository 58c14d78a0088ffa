import { promisify } from "node:util";
import { crc32, deflateRaw } from "node:zlib";
import { identifiersOf, inlineMapOf } from "./bundle/debug-ids.ts";
import type { BundleFileType, BundleFile } from "./bundle/read-bundle.ts";
import {
  type PairFile,
  severalIds,
  sharedId,
  withoutMap,
  withoutScript,
  pairFiles,
  type Pair,
} from "./bundle/pairs.ts";
import { compileMap } from "./mapping/compile.ts";
import { MapError } from "./mapping/map-limits.ts";
import type { Source } from "./mapping/reading/read-map.ts";

/** The effect of an upload on the frames in a file. */
export interface FileCheck {
  /** As the folder has it. */
  readonly path: string;
  /** The address under which events may name it. */
  readonly url: string;
  readonly verdict: "will_match" | "will_not_match" | "needs_no_map";
  /** Sentences: the reason, and what to do if it will not match. */
  readonly because: string;
  /** The path of its map; `inline`: it is in the file itself. */
  readonly map?: string;
  /** The ids under which events find it. */
  readonly debugIds: readonly string[];
  /** Sentences about what will be missing although it matches. */
  readonly warnings: readonly string[];
}

type File = PairFile & Pick<BundleFile, "headers">;

/**
 * Says of each script of a build whether an upload will map its frames, as the service would read it, and why; and of maps
 * without a script. `release` is the release of the upload and its events; if it is undefined, only ids count.
 */
export async function checkBuild(
  folder: BuildFolder,
  options: BuildOptions & { readonly release: string | undefined },
): Promise<FileCheck[]> {
  const files: File[] = [];
  for await (const file of filesOf(folder, options)) {
    const { path, url, type, headers } = file;
    files.push({ path, url, type, headers, ...identifiersOf(file) });
  }
  const { pairs, sourceOnly, mapOnly } = pairFiles(files);
  const checks: FileCheck[] = [
    ...sourceOnly.map(checkAlone),
    ...mapOnly.map((file) => check(file, "will_not_match", withoutScript(file))),
  ];
  for (const pair of pairs) checks.push(await checkPair(folder, pair, { files, release: options.release }));
  return checks.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

const check = (
  { path, url }: File,
  verdict: FileCheck["verdict"],
  because: string,
  more: Partial<FileCheck> = {},
): FileCheck => ({ path, url, verdict, because, debugIds: [], warnings: [], ...more });

function checkAlone(file: File): FileCheck {
  const [why] = withoutMap(file);
  return why === undefined
    ? check(file, "needs_no_map", "It names no map and has no debug id. Its frames are shown as sent.")
    : check(file, "will_not_match", why);
}

async function checkPair(
  folder: BuildFolder,
  pair: Pair<File>,
  { files, release }: { files: readonly File[]; release: string | undefined },
): Promise<FileCheck> {
  const { minified, map, debugIds } = pair;
  const found = { map: map === "inline" ? map : map.path, debugIds };
  const sources = await readSources(folder, pair);
  if (typeof sources === "string") return check(minified, "will_not_match", sources, found);
  const warnings = [...(minified.debugIds.length > 1 ? [severalIds(minified)] : []), ...sourcesWithoutText(sources)];
  const more = { ...found, warnings };
  if (debugIds.length > 0) return check(minified, "will_match", "Events name it by its debug id.", more);
  if (release !== undefined) {
    const because = `Events of the release ${release} find it as ${minified.url}. If it is served under another path, set --url-prefix.`;
    return check(minified, "will_match", because, more);
  }
  const [id] = minified.debugIds;
  const other = files.find((one) => one !== minified && one.type === minified.type && one.debugIds[0] === id);
  const because = id !== undefined && other ? sharedId(other, minified, id) : noIdentity;
  return check(minified, "will_not_match", because, more);
}

const noIdentity =
  "It has no debug id, and no release is named. Run `npx @sentry/cli sourcemaps inject` on the folder after everything that minifies, or name the release with --release.";

/** The sources of a map, or the sentence that says why the map cannot be read. */
async function readSources(folder: BuildFolder, { minified, map }: Pair<File>): Promise<readonly Source[] | string> {
  const json =
    map === "inline"
      ? inlineMapOf({ headers: minified.headers, content: await folder.read(minified.path) })
      : await folder.read(map.path);
  if (!json) return "The map in the file itself cannot be read. Let the bundler write a file.";
  try {
    return compileMap({ map: json }).sources;
  } catch (error) {
    if (error instanceof MapError) return error.message;
    throw error;
  }
}

function sourcesWithoutText(sources: readonly Source[]): string[] {
  const missing = sources.filter(({ content }) => content === undefined);
  const [first] = missing;
  if (!first) return [];
  return [
    `The map lacks the text of ${missing.length} of ${sources.length} sources, such as ${first.name}: their frames show the file and the line, not the code. Let the bundler write sourcesContent.`,
  ];
}

/** The folder that a build wrote. */
export interface BuildFolder {
  /** The files that may be scripts or maps, relative to the folder, with `/` between their parts. */
  readonly paths: readonly string[];
  /** The content of one of them. */
  read(path: string): Promise<Buffer>;
}

/** Where the folder is served: `~/` is the root of any host. */
interface BuildOptions {
  readonly urlPrefix: string;
}

/** Whether uploads take a file of a build: a script, or the map of a script. */
export const isUploaded = (path: string): boolean => typeOf(path) !== undefined;

/**
 * The files of a build as a bundle lists them, one read after the other. A script without a reference to its map gets one
 * if a map of its name is in the same folder, as bundlers write "hidden" source maps.
 */
export async function* filesOf(folder: BuildFolder, { urlPrefix }: BuildOptions): AsyncGenerator<BundleFile> {
  const all = new Set(folder.paths);
  const prefix = urlPrefix.replace(/\/+$/, "");
  for (const path of folder.paths) {
    const type = typeOf(path);
    if (type === undefined) continue;
    const file = { path, url: `${prefix}/${path}`, type, headers: {}, content: await folder.read(path) };
    const isHidden = type === "minified_source" && all.has(`${path}.map`) && !namesMap(file);
    yield isHidden ? { ...file, headers: { sourceMap: `${path.slice(path.lastIndexOf("/") + 1)}.map` } } : file;
  }
}

function namesMap(file: BundleFile): boolean {
  const { sourceMapUrl, hasInlineMap } = identifiersOf(file);
  return sourceMapUrl !== undefined || hasInlineMap === true;
}

const script = /\.(?:[cm]?js|jsbundle|bundle)$/i;

function typeOf(path: string): BundleFileType | undefined {
  if (/\.map$/i.test(path)) return /\.css\.map$/i.test(path) ? undefined : "source_map";
  return script.test(path) ? "minified_source" : undefined;
}

const deflate = promisify(deflateRaw);

/**
 * An artifact bundle of files (section 2.1), piece by piece: it has one file at a time in memory. The same files make the same
 * bytes. Its sizes are the sizes of a zip without zip64: each file and all of it must have less than 4 GiB, and there
 * are at most 65,534 files; `defaultBundleLimits` are lower.
 */
export async function* writeBundle(files: AsyncIterable<BundleFile>): AsyncGenerator<Buffer> {
  const listed: Record<string, object> = {};
  const directory: Buffer[] = [];
  let at = 0;
  const written = (piece: Buffer) => {
    at += piece.length;
    return piece;
  };
  yield written(start);
  for await (const { path, url, type, headers, content } of files) {
    const name = `files/_/_/${path}`;
    listed[name] = { url, type, headers: headers.sourceMap === undefined ? {} : { sourcemap: headers.sourceMap } };
    const entry = await entryOf(name, content, at);
    directory.push(entry.inDirectory);
    for (const piece of entry.pieces) yield written(piece);
  }
  const manifest = await entryOf("manifest.json", Buffer.from(JSON.stringify({ files: listed })), at);
  directory.push(manifest.inDirectory);
  for (const piece of manifest.pieces) yield written(piece);
  const ofDirectory = Buffer.concat(directory);
  yield ofDirectory;
  yield endRecord({ count: directory.length, start: at, bytes: ofDirectory.length });
}

/** `SYSB` and the version 2; offsets count from here. */
const start = Buffer.from("SYSB\u0002\0\0\0", "latin1");

/** PKWARE's APPNOTE 6.3.10, sections 4.3.7 and 4.3.12. */
async function entryOf(name: string, content: Buffer, offset: number) {
  const data = await deflate(content);
  const nameBytes = Buffer.from(name);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0); // version 2.0
  common.writeUInt16LE(0x0800, 2); // the name is UTF-8
  common.writeUInt16LE(8, 4); // deflated
  common.writeUInt16LE(0x21, 8); // 1980-01-01: the same files make the same bytes
  common.writeUInt32LE(crc32(content), 10);
  common.writeUInt32LE(data.length, 14);
  common.writeUInt32LE(content.length, 18);
  common.writeUInt16LE(nameBytes.length, 22);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(offset, 10);
  const inDirectory = Buffer.concat([signature(0x02014b50), versionMadeBy, common, rest, nameBytes]);
  return { pieces: [signature(0x04034b50), common, nameBytes, data], inDirectory };
}

const versionMadeBy = Buffer.from([20, 0]);

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** Section 4.3.16. */
function endRecord(directory: { readonly count: number; readonly start: number; readonly bytes: number }): Buffer {
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.count, 4);
  end.writeUInt16LE(directory.count, 6);
  end.writeUInt32LE(directory.bytes, 8);
  end.writeUInt32LE(directory.start, 12);
  return Buffer.concat([signature(0x06054b50), end]);
}
