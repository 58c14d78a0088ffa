import type { Host } from "@faultline/plugin";
import type { Selectable } from "kysely";
import type { BundleBytes } from "../bundle/bundle-bytes.ts";
import { pairFiles, type Pair } from "../bundle/pairs.ts";
import { readBundle, type Bundle } from "../bundle/read-bundle.ts";
import { whyUnusable } from "../bundle/usable.ts";
import { keptBytes } from "../kept/kept-bytes.ts";
import type { MapCompiler } from "../mapping/compile-in-worker.ts";
import type { CompiledMap } from "../mapping/compile.ts";
import { MapError } from "../mapping/map-error.ts";
import type { BundleTable } from "../tables.ts";
import { identifyFiles, type UploadedFile } from "./identify-files.ts";
import { uploadLimits } from "./limits.ts";
import type { ReadingSteps } from "./reading-turns.ts";
import { storeArtifacts, type NewArtifact } from "./store-artifacts.ts";
import { TextsBeside } from "./texts-beside.ts";
import { storeMaps, WaitingMaps } from "./store-maps.ts";
import { UploadFault } from "./upload-fault.ts";

export type BundleRow = Pick<Selectable<BundleTable>, "id" | "project_id" | "release">;

/** What a bundle holds, as its row has it. */
export type Stored = Pick<Selectable<BundleTable>, "file_count" | "mapped_file_count" | "stored_bytes" | "warnings">;

/** Sentences that are kept. */
export const mostWarnings = 20;

/** Stores what a bundle has for each minified file. Throws UploadFault, BundleError or MapError. */
export async function* storeBundle(
  host: Host,
  compiler: MapCompiler,
  { row, bytes, signal }: { row: BundleRow; bytes: BundleBytes; signal: AbortSignal },
): ReadingSteps<Stored> {
  const bundle = await readBundle(bytes);
  const files = yield* identifyFiles(compiler, bundle, signal);
  const unusable = whyUnusable(files, row.release || undefined);
  if (unusable !== undefined) throw new UploadFault(unusable);
  const { pairs, sourceOnly, mapOnly, warnings: ofPairs } = pairFiles(files);
  const halves: NewArtifact[] = [
    ...sourceOnly.map(({ url, debugIds }) => ({ kind: "source_only" as const, url, debugIds })),
    ...mapOnly.map(({ url, debugIds }) => ({ kind: "map_only" as const, url, debugIds })),
  ];
  await storeArtifacts(host, row, halves);
  const refused: NewArtifact[] = [];
  let [added, mapped] = [0, 0];
  const room = uploadLimits.projectBytes - (await keptBytes(host, row.project_id));
  const waiting = new WaitingMaps();
  const texts = new TextsBeside(bundle, files);
  const storeWaiting = async () => {
    added += await storeMaps(host, row, waiting.take());
    if (added > room) throw new UploadFault(tooMuch);
  };
  // A function of its own, so that a compiled map does not stay in memory between two turns.
  const storePair = async (pair: Pair<UploadedFile>) => {
    const { url } = pair.minified;
    try {
      const compiled = await compile(compiler, bundle, pair);
      const mapUrl = pair.map === "inline" ? url : pair.map.url;
      waiting.add({ url, debugIds: pair.debugIds, compiled: await texts.complete(compiled, mapUrl) });
      mapped += 1;
    } catch (error) {
      if (!(error instanceof MapError)) throw error;
      refused.push({ kind: "map_refused", url, debugIds: pair.debugIds, detail: error.message });
    }
    if (waiting.isFull) await storeWaiting();
  };
  for (const pair of pairs) {
    signal.throwIfAborted();
    await storePair(pair);
    yield 1;
  }
  await storeWaiting();
  await storeArtifacts(host, row, refused);
  const mapFaults = refused.map(({ url, detail }) => `${url}: ${detail}`);
  const [fault] = mapFaults;
  if (mapped === 0 && fault !== undefined) throw new UploadFault(fault); // a build that maps nothing fails at once
  return {
    file_count: files.length,
    mapped_file_count: mapped,
    stored_bytes: added,
    warnings: JSON.stringify([...bundle.warnings, ...ofPairs, ...texts.warnings, ...mapFaults].slice(0, mostWarnings)),
  };
}

export const tooMuch = `The maps of the project would take more than ${uploadLimits.projectBytes / 1024 ** 3} GiB. Delete old uploads on the page "Source maps".`;

/** Compiles a map in a thread. */
async function compile(
  compiler: MapCompiler,
  bundle: Bundle,
  { minified, map }: Pair<UploadedFile>,
): Promise<CompiledMap> {
  return compiler.compile({
    headers: minified.headers,
    script: await bundle.packed(minified.path),
    map: map === "inline" ? map : await bundle.packed(map.path),
  });
}
