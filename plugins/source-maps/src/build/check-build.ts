import { identifiersOf } from "../bundle/debug-ids.ts";
import { inlineMapOf } from "../bundle/inline-map.ts";
import type { PairFile } from "../bundle/pair-file.ts";
import { severalIds, sharedId, withoutMap, withoutScript } from "../bundle/pair-warnings.ts";
import { pairFiles, type Pair } from "../bundle/pairs.ts";
import type { BundleFile } from "../bundle/read-bundle.ts";
import { compileMap } from "../mapping/compile.ts";
import { MapError } from "../mapping/map-error.ts";
import type { Source } from "../mapping/reading/read-map.ts";
import { filesOf, type BuildFolder, type BuildOptions } from "./build-folder.ts";

/** What uploads of a file will do for the frames in it. */
export interface FileCheck {
  /** As the folder has it. */
  readonly path: string;
  /** The address under which events may name it. */
  readonly url: string;
  readonly verdict: "will_match" | "will_not_match" | "needs_no_map";
  /** Sentences: the reason, and where it will not match what to do. */
  readonly because: string;
  /** The path of its map; `inline`: it lies in the file itself. */
  readonly map?: string;
  /** The ids under which events find it. */
  readonly debugIds: readonly string[];
  /** Sentences about what will be missing although it matches. */
  readonly warnings: readonly string[];
}

type File = PairFile & Pick<BundleFile, "headers">;

/**
 * Says of each script of a build whether an upload will map its frames, as the service would read it, and why; and of maps
 * whose script is missing. `release`: that of the upload and its events; undefined: none, so that ids alone count.
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
