import { quoted } from "./bundle-error.ts";
import { mayBeScript, type Identifiers } from "./debug-ids.ts";
import type { ManifestFile } from "./read-bundle.ts";

/** A minified script and its map. */
export interface Pair<File extends PairFile> {
  readonly minified: File;
  /** `inline`: it is in the script. */
  readonly map: File | "inline";
  /** The ids under which events may ask for it, of both files; none that belongs to another script of the bundle. */
  readonly debugIds: readonly string[];
}

/** The files of a bundle by pairs. */
interface Pairs<File extends PairFile> {
  readonly pairs: readonly Pair<File>[];
  /** Scripts without a map. */
  readonly sourceOnly: readonly File[];
  /** Maps without a script. */
  readonly mapOnly: readonly File[];
  /** Sentences for the person who uploaded the bundle: what will not work as expected, and what to do. */
  readonly warnings: readonly string[];
}

/**
 * Pairs each minified script with its map: the map that shares a debug id, otherwise the map that its reference names, otherwise the
 * map in the script itself. A source counts as a script if it has a map. Files of other types are left out.
 */
export function pairFiles<File extends PairFile>(files: readonly File[]): Pairs<File> {
  const candidates = files.filter(mayBeScript);
  const maps = files.filter(({ type }) => type === "source_map");
  const byId = firstBy(maps, ({ debugIds }) => debugIds);
  const byUrl = firstBy(maps, ({ url }) => [url]);
  const owners = ownersOf(candidates);
  const mapOf = (script: File): File | "inline" | undefined => {
    // By an id of a library the script would get the library's own map.
    const ids = script.debugIds.filter((id, i) => i === 0 || owners.get(id) === script);
    return firstIn(byId, ids) ?? (script.hasInlineMap ? "inline" : firstIn(byUrl, addressesOf(script)));
  };
  const pairs: Pair<File>[] = [];
  const sourceOnly: File[] = [];
  for (const minified of candidates) {
    const map = mapOf(minified);
    if (map === undefined) {
      if (minified.type === "minified_source") sourceOnly.push(minified);
    } else
      pairs.push({
        minified,
        map,
        debugIds: idsOf(minified, map).filter((id) => !owners.has(id) || owners.get(id) === minified),
      });
  }
  const used = new Set(pairs.map(({ map }) => map));
  const mapOnly = maps.filter((map) => !used.has(map));
  const paired = new Set(pairs.map(({ minified }) => minified));
  const scripts = candidates.filter((file) => file.type === "minified_source" || paired.has(file));
  return { pairs, sourceOnly, mapOnly, warnings: pairWarnings({ scripts, sourceOnly, mapOnly }) };
}

function addressesOf({ sourceMapUrl, url }: PairFile): readonly string[] {
  return sourceMapUrl === undefined ? [] : mapAddresses(sourceMapUrl, url);
}

function idsOf<File extends PairFile>(minified: File, map: File | "inline"): readonly string[] {
  return [...new Set([...minified.debugIds, ...(map === "inline" ? [] : map.debugIds)])];
}

/**
 * The script that an id belongs to: the script that has it as the first id, because a header or comment says more than a snippet that came
 * with a library; otherwise the only script that has it. The value is `undefined` if several have it, so that it identifies none.
 */
function ownersOf<File extends PairFile>(scripts: readonly File[]): ReadonlyMap<string, File | undefined> {
  const byId = new Map<string, File | undefined>();
  for (const script of scripts) for (const id of script.debugIds) byId.set(id, byId.has(id) ? undefined : script);
  return new Map([...byId, ...firstBy(scripts, ({ debugIds }) => debugIds.slice(0, 1))]);
}

function firstBy<File>(files: readonly File[], keysOf: (file: File) => readonly string[]): ReadonlyMap<string, File> {
  return new Map(files.toReversed().flatMap((file) => keysOf(file).map((key) => [key, file] as const)));
}

function firstIn<File>(byKey: ReadonlyMap<string, File>, keys: readonly string[]): File | undefined {
  const key = keys.find((one) => byKey.has(one));
  return key === undefined ? undefined : byKey.get(key);
}

/** A file of a bundle without its content: what pairs are made from. */
export interface PairFile extends Pick<ManifestFile, "path" | "url" | "type">, Identifiers {}

/**
 * The URLs under which the map of a script may be in a bundle, the likeliest first: the reference resolved against the
 * script's URL, without its fragment, its query, its escapes, and its host, which `~` replaces (section 2.3).
 */
export function mapAddresses(reference: string, scriptUrl: string): readonly string[] {
  const [whole = ""] = resolve(reference.trim(), scriptUrl).split("#");
  const [path = ""] = whole.split("?");
  const addresses = [whole, path, decoded(path)];
  return [...new Set([...addresses, ...addresses.map(withoutHost)])];
}

/** `https://host`, `app://`, `~` or nothing, and what follows. */
const parts = /^(~|[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#]*)?(.*)$/s;

/** RFC 3986, section 5.2, for texts that need not be URLs: what is no `.` or `..` stays as it is. */
function resolve(reference: string, base: string): string {
  const [, origin = ""] = parts.exec(reference) ?? [];
  if (origin !== "") return reference;
  const [, baseOrigin = "", basePath = ""] = parts.exec(base) ?? [];
  if (reference.startsWith("//")) return `${/^[^/]*/.exec(baseOrigin)?.[0] ?? ""}${reference}`;
  if (reference.startsWith("/")) return baseOrigin + withoutDots(reference);
  const [path = ""] = basePath.split(/[?#]/, 1);
  return baseOrigin + withoutDots(path.slice(0, path.lastIndexOf("/") + 1) + reference);
}

function withoutDots(path: string): string {
  const end = path.search(/[?#]/);
  const rest = end < 0 ? "" : path.slice(end);
  const kept: string[] = [];
  const segments = (end < 0 ? path : path.slice(0, end)).split("/");
  for (const segment of segments) {
    if (segment === "..") {
      if (kept.length > 1 || (kept.length === 1 && kept[0] !== "")) kept.pop();
    } else if (segment !== ".") kept.push(segment);
  }
  return kept.join("/") + rest;
}

const withoutHost = (url: string) => url.replace(/^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/]*/, "~");

/** Bundlers escape blanks and letters in references; the clients' URLs are names of files. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Warnings of one kind that are spelled out; a sentence counts the others. */
const maxOfKind = 10;

/** Warnings about a bundle, as sentences for the person who uploaded it. */
function pairWarnings({
  scripts,
  sourceOnly,
  mapOnly,
}: {
  readonly scripts: readonly PairFile[];
  readonly sourceOnly: readonly PairFile[];
  readonly mapOnly: readonly PairFile[];
}): readonly string[] {
  return [
    ...limited(scripts.filter(({ debugIds }) => debugIds.length > 1).map(severalIds)),
    ...limited(sharedIds(scripts)),
    ...limited(sourceOnly.flatMap(withoutMap)),
    ...limited(mapOnly.map(withoutScript)),
  ];
}

function limited(sentences: readonly string[]): readonly string[] {
  const more = sentences.length - maxOfKind;
  return more <= 0 ? sentences : [...sentences.slice(0, maxOfKind), `The same applies to ${more} more files.`];
}

export function severalIds({ url, debugIds }: PairFile): string {
  if (debugIds.length === 2) {
    return `${quoted(url)} has two debug ids: ${debugIds.join(", ")}. Remove one of the two tools that inject them.`;
  }
  const ids = `${debugIds.slice(0, 3).join(", ")} and ${debugIds.length - 3} more`;
  return `${quoted(url)} has ${debugIds.length} debug ids: ${debugIds.length === 3 ? debugIds.join(", ") : ids}. Inject them with one tool; published libraries can bring ids too.`;
}

/** Scripts that share their own id, the first, with another script. */
function sharedIds(scripts: readonly PairFile[]): readonly string[] {
  const byId = Map.groupBy(scripts, ({ debugIds: [first] }) => first);
  return [...byId].flatMap(([id, [one, other]]) => {
    if (id === undefined || one === undefined || other === undefined) return [];
    return [sharedId(one, other, id)];
  });
}

export function sharedId({ url }: PairFile, other: PairFile, id: string): string {
  return `${quoted(url)} and ${quoted(other.url)} have the same debug id ${id}: events of both are mapped by the first. Build each into an empty folder, and inject ids once.`;
}

/** A script without a reference and without an id needs no map. */
export function withoutMap({ url, sourceMapUrl, debugIds, hasInlineMap }: PairFile): readonly string[] {
  if (hasInlineMap) return [];
  if (sourceMapUrl !== undefined) {
    return [`${quoted(url)} names the map ${quoted(sourceMapUrl)}, which is not in the bundle. Upload both together.`];
  }
  if (debugIds.length > 0) {
    return [`${quoted(url)} has a debug id, but no map in the bundle has it. Upload the map together with it.`];
  }
  return [];
}

export function withoutScript({ url }: PairFile): string {
  return `The map ${quoted(url)} belongs to no script of the bundle. Upload the minified script together with it.`;
}

/**
 * Why nothing in a bundle can ever map a frame, as a sentence for the build log; undefined if something can. Sentry drops such
 * bundles without a word, so that the build is green and stays minified.
 */
export function whyUnusable(files: readonly PairFile[], release: string | undefined): string | undefined {
  const usable = files.filter(({ type }) => type === "minified_source" || type === "source_map");
  if (usable.length === 0) {
    return "The bundle has no minified script and no source map. Build with source maps, and upload the folder that the build writes.";
  }
  if (release === undefined && usable.every(({ debugIds }) => debugIds.length === 0)) {
    return "The bundle has neither debug ids nor a release, so no event can find its files. Run `sentry-cli sourcemaps inject` before the upload, or upload with --release.";
  }
  return undefined;
}
