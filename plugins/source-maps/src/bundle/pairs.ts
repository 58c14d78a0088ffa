import { mapAddresses } from "./map-address.ts";
import { mayBeScript } from "./debug-ids.ts";
import type { PairFile } from "./pair-file.ts";
import { pairWarnings } from "./pair-warnings.ts";

/** A minified script and its map. */
export interface Pair<File extends PairFile> {
  readonly minified: File;
  /** `inline`: it lies in the script. */
  readonly map: File | "inline";
  /** The ids under which events may ask for it, of both files; none that belongs to another script of the bundle. */
  readonly debugIds: readonly string[];
}

/** What belongs together in a bundle. */
export interface Pairs<File extends PairFile> {
  readonly pairs: readonly Pair<File>[];
  /** Scripts without a map. */
  readonly sourceOnly: readonly File[];
  /** Maps without a script. */
  readonly mapOnly: readonly File[];
  /** Sentences for the person who uploaded the bundle: what will not work as expected, and what to do. */
  readonly warnings: readonly string[];
}

/**
 * Pairs each minified script with its map: the one that shares a debug id, else the one that its reference names, else the
 * one in the script itself. A source counts as a script where it has a map. Files of other types are left out.
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
 * The script that an id belongs to: the one whose first id it is, as a header or comment says more than a snippet that came
 * with a library; else the only one that has it. `undefined` as value: several have it, and it stands for none.
 */
function ownersOf<File extends PairFile>(scripts: readonly File[]): ReadonlyMap<string, File | undefined> {
  const byId = new Map<string, File | undefined>();
  for (const script of scripts) for (const id of script.debugIds) byId.set(id, byId.has(id) ? undefined : script);
  return new Map([...byId, ...firstBy(scripts, ({ debugIds }) => debugIds.slice(0, 1))]);
}

/** The first of the files for each key. */
function firstBy<File>(files: readonly File[], keysOf: (file: File) => readonly string[]): ReadonlyMap<string, File> {
  return new Map(files.toReversed().flatMap((file) => keysOf(file).map((key) => [key, file] as const)));
}

function firstIn<File>(byKey: ReadonlyMap<string, File>, keys: readonly string[]): File | undefined {
  const key = keys.find((one) => byKey.has(one));
  return key === undefined ? undefined : byKey.get(key);
}
