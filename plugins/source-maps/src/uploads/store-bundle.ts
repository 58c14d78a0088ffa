import type { Host } from "@faultline/plugin";
import type { Selectable, Kysely } from "kysely";
import type { BundleBytes } from "../bundle/bundle-bytes.ts";
import { pairFiles, type Pair, whyUnusable } from "../bundle/pairs.ts";
import { readBundle, type Bundle } from "../bundle/read-bundle.ts";
import { keptBytes } from "../kept-uploads.ts";
import type { MapCompiler } from "../mapping/compile-in-worker.ts";
import type { CompiledMap } from "../mapping/compile.ts";
import { MapError } from "../mapping/map-limits.ts";
import type { BundleTable, ArtifactKind, Tables } from "../tables.ts";
import { uploadLimits } from "./limits.ts";
import { type ReadingSteps, UploadFault } from "./reading-turns.ts";
import { TextsBeside, identifyFiles, type UploadedFile } from "./texts-beside.ts";
import { storeLineIndexes } from "../blobs/read-blobs.ts";
import { writeBlobs, type Written } from "../blobs/write-blobs.ts";
import { writeSources, type StoredSource } from "./stored-source.ts";
import { bytesOfDebugId } from "../events/artifacts.ts";

export type BundleRow = Pick<Selectable<BundleTable>, "id" | "project_id" | "release">;

/** The contents of a bundle, as its row has them. */
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
  // A separate function, so that a compiled map does not stay in memory between two turns.
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
  if (mapped === 0 && fault !== undefined) throw new UploadFault(fault); // a build that maps nothing fails immediately
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

/** A minified file with its compiled map. */
interface CompiledFile {
  readonly url: string;
  readonly debugIds: readonly string[];
  readonly compiled: CompiledMap;
}

/** Small maps that are stored together, and about the bytes that they take in memory. */
const batch = { maps: 16, bytes: 512 * 1024 };

/** About the bytes of a source without its name and its text. */
const sourceBytes = 128;

/** Maps that wait for others to share their transactions: each map alone takes 15 statements and three syncs. */
export class WaitingMaps {
  #files: CompiledFile[] = [];
  #bytes = 0;

  get isFull(): boolean {
    return this.#files.length >= batch.maps || this.#bytes >= batch.bytes;
  }

  add(file: CompiledFile): void {
    this.#files.push(file);
    this.#bytes += bytesOf(file.compiled);
  }

  /** All that wait; none does afterwards. */
  take(): readonly CompiledFile[] {
    const taken = this.#files;
    [this.#files, this.#bytes] = [[], 0];
    return taken;
  }
}

/** Names count as well: a map may have 100,000 sources without a text. */
function bytesOf({ index, sources }: CompiledMap): number {
  let bytes = index.length;
  for (const { name, content } of sources) bytes += sourceBytes + 2 * name.length + (content?.length ?? 0);
  return bytes;
}

/** Stores the index of each map, its list of sources, and their texts. Returns the bytes that this added. */
async function storeMaps(host: Host, bundle: BundleIds, files: readonly CompiledFile[]): Promise<number> {
  const write = (contents: readonly Uint8Array[]): Promise<readonly Written[]> =>
    writeBlobs(host, bundle.project_id, contents);
  const withText = files.flatMap(({ compiled }) => compiled.sources.filter(({ content }) => content?.length));
  const texts = withText.flatMap(({ content }) => content ?? []);
  const contents = await write([...files.map(({ compiled }) => compiled.index), ...texts]);
  const textOf = new Map(withText.map((source, n) => [source, contents[files.length + n]?.id]));
  const indexes = withText.flatMap((source) => {
    const blobId = textOf.get(source);
    return source.lines && blobId !== undefined ? { blob_id: blobId, places: Buffer.from(source.lines.buffer) } : [];
  });
  await storeLineIndexes(host.database, indexes);
  const lists = await write(files.map(({ compiled }) => writeSources(storedSources(compiled, textOf))));
  const artifacts = files.map(({ url, debugIds, compiled }, n): NewArtifact => {
    const [index, sources] = [contents[n]?.id ?? 0, lists[n]?.id ?? 0];
    const ofTexts = compiled.sources.flatMap((source) => textOf.get(source) ?? []);
    return {
      kind: "mapped",
      url,
      debugIds,
      blobs: { index, sources, all: [...new Set([...ofTexts, index, sources])] },
    };
  });
  await storeArtifacts(host, bundle, artifacts);
  return [...contents, ...lists].reduce((sum, { added }) => sum + added, 0);
}

/** The list of a map's sources, with the blob of each text. */
function storedSources(
  { sources }: CompiledMap,
  textOf: ReadonlyMap<CompiledMap["sources"][number], number | undefined>,
): StoredSource[] {
  return sources.map((source) => {
    const { name, isIgnored } = source;
    return { name, isIgnored, blobId: textOf.get(source) ?? null };
  });
}

/** A minified file, or what there is of it, by which events find it. */
interface NewArtifact {
  readonly kind: ArtifactKind;
  readonly url: string;
  readonly debugIds: readonly string[];
  readonly blobs?: ArtifactBlobs;
  /** Why its map was refused. */
  readonly detail?: string;
}

/** The blobs of a compiled map by id. */
interface ArtifactBlobs {
  readonly index: number;
  readonly sources: number;
  /** These two and the texts of its sources, each once. */
  readonly all: readonly number[];
}

type BundleIds = Pick<Selectable<BundleTable>, "id" | "project_id">;

/** Artifacts that share a transaction and its sync: storing events waits for some milliseconds of them. */
const artifactsAtOnce = 64;

/** Rows of an insert. SQLite takes 32,766 values. */
const rowsAtOnce = 1_000;

/** About the bytes of rows on disk, with their entries in indexes: of an artifact without its texts, of one of its ids, and of a blob's use. */
const rowBytes = { artifact: 256, debugId: 128, use: 128 };

async function storeArtifacts({ database }: Host, bundle: BundleIds, artifacts: readonly NewArtifact[]): Promise<void> {
  for (let n = 0; n < artifacts.length; n += artifactsAtOnce) {
    const together = artifacts.slice(n, n + artifactsAtOnce);
    await database
      .write<Tables>()
      .transaction()
      .execute(async (transaction) => {
        const stored = await insertArtifacts(transaction, bundle, together);
        await insertDebugIds(transaction, bundle.project_id, stored);
        await insertUses(transaction, stored);
      });
  }
}

type StoredArtifact = NewArtifact & { readonly id: number };

async function insertArtifacts(
  transaction: Kysely<Tables>,
  bundle: BundleIds,
  artifacts: readonly NewArtifact[],
): Promise<StoredArtifact[]> {
  const rows = artifacts.map(({ kind, url, debugIds, blobs, detail = "" }) => ({
    project_id: bundle.project_id,
    bundle_id: bundle.id,
    url,
    kind,
    index_blob_id: blobs?.index ?? null,
    sources_blob_id: blobs?.sources ?? null,
    detail,
    row_bytes:
      rowBytes.artifact +
      Buffer.byteLength(url + detail) +
      rowBytes.debugId * debugIds.length +
      rowBytes.use * (blobs?.all.length ?? 0),
  }));
  const inserted = await transaction.insertInto("source_artifact").values(rows).returning("id").execute();
  // Ids grow in the order of the values; in which order they are returned is not defined.
  const ids = inserted.map(({ id }) => Number(id)).toSorted((a, b) => a - b);
  return artifacts.map((artifact, n) => ({ ...artifact, id: ids[n] ?? 0 }));
}

async function insertDebugIds(
  transaction: Kysely<Tables>,
  projectId: number,
  artifacts: readonly StoredArtifact[],
): Promise<void> {
  const rows = artifacts.flatMap(({ id, debugIds }) =>
    debugIds.map((one) => ({ project_id: projectId, debug_id: bytesOfDebugId(one), artifact_id: id })),
  );
  for (let n = 0; n < rows.length; n += rowsAtOnce)
    await transaction
      .insertInto("source_debug_id")
      .values(rows.slice(n, n + rowsAtOnce))
      .execute();
}

async function insertUses(transaction: Kysely<Tables>, artifacts: readonly StoredArtifact[]): Promise<void> {
  const rows = artifacts.flatMap(({ id, blobs }) =>
    (blobs?.all ?? []).map((blob_id) => ({ artifact_id: id, blob_id })),
  );
  for (let n = 0; n < rows.length; n += rowsAtOnce)
    await transaction
      .insertInto("source_blob_use")
      .values(rows.slice(n, n + rowsAtOnce))
      .execute();
}
