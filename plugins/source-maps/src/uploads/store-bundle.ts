import type { Host } from "@faultline/plugin";
import type { Selectable } from "kysely";
import { writeBlobs } from "../blobs/write-blobs.ts";
import type { BundleBytes } from "../bundle/bundle-bytes.ts";
import type { PairFile } from "../bundle/pair-file.ts";
import { pairFiles, type Pair } from "../bundle/pairs.ts";
import { readBundle, type Bundle, type BundleFile } from "../bundle/read-bundle.ts";
import { whyUnusable } from "../bundle/usable.ts";
import { bytesOfDebugId } from "../events/artifacts.ts";
import type { MapCompiler } from "../mapping/compile-in-worker.ts";
import { MapError } from "../mapping/map-error.ts";
import type { ArtifactKind, BundleTable, Tables } from "../tables.ts";
import { uploadLimits } from "./limits.ts";
import { writeSources, type StoredSource } from "./stored-source.ts";
import { UploadFault } from "./upload-fault.ts";

export type BundleRow = Pick<Selectable<BundleTable>, "id" | "project_id" | "release">;

/** What a bundle holds, as its row has it. */
export type Stored = Pick<Selectable<BundleTable>, "file_count" | "mapped_file_count" | "stored_bytes" | "warnings">;

type File = PairFile & Pick<BundleFile, "headers">;

/** A file without its other half. */
interface Half {
  readonly kind: ArtifactKind;
  readonly file: PairFile;
}

/** Sentences that are kept. */
export const mostWarnings = 20;

/** Stores what a bundle has for each minified file. Throws UploadFault, BundleError or MapError. */
export async function storeBundle(
  host: Host,
  compiler: MapCompiler,
  { row, bytes, signal }: { row: BundleRow; bytes: BundleBytes; signal: AbortSignal },
): Promise<Stored> {
  const bundle = await readBundle(bytes);
  const files: File[] = [];
  for (const { path, url, type, headers } of bundle.list) {
    const identifiers = await compiler.identify({ type, headers, file: await bundle.packed(path) });
    files.push({ path, url, type, headers, ...identifiers });
    signal.throwIfAborted();
  }
  const unusable = whyUnusable(files, row.release || undefined);
  if (unusable !== undefined) throw new UploadFault(unusable);
  const { pairs, sourceOnly, mapOnly, warnings: ofPairs } = pairFiles(files);
  const mapFaults: string[] = [];
  const halves: Half[] = [
    ...sourceOnly.map((file) => ({ kind: "source_only" as const, file })),
    ...mapOnly.map((file) => ({ kind: "map_only" as const, file })),
  ];
  for (const { kind, file } of halves) await storeArtifact(host, row, { kind, url: file.url, debugIds: file.debugIds });
  let [added, mapped] = [0, 0];
  const room = uploadLimits.projectBytes - (await bytesOfProject(host, row.project_id));
  for (const pair of pairs) {
    signal.throwIfAborted();
    try {
      added += await storePair(host, compiler, { row, bundle, pair });
      mapped += 1;
    } catch (error) {
      if (!(error instanceof MapError)) throw error;
      const { url } = pair.minified;
      const detail = error.message;
      mapFaults.push(`${url}: ${detail}`);
      await storeArtifact(host, row, { kind: "map_refused", url, debugIds: pair.debugIds, detail });
    }
    if (added > room) throw new UploadFault(tooMuch);
  }
  const [fault] = mapFaults;
  if (mapped === 0 && fault !== undefined) throw new UploadFault(fault); // a build that maps nothing fails at once
  return {
    file_count: files.length,
    mapped_file_count: mapped,
    stored_bytes: added,
    warnings: JSON.stringify([...bundle.warnings, ...ofPairs, ...mapFaults].slice(0, mostWarnings)),
  };
}

export const tooMuch = `The maps of the project would take more than ${uploadLimits.projectBytes / 1024 ** 3} GiB. Delete old uploads on the page "Source maps".`;

/** Compiles and stores a pair. Returns the bytes that it added. */
async function storePair(
  host: Host,
  compiler: MapCompiler,
  { row, bundle, pair }: { row: BundleRow; bundle: Bundle; pair: Pair<File> },
): Promise<number> {
  const { minified, debugIds } = pair;
  const compiled = await compile(host, compiler, { row, bundle, pair });
  await storeArtifact(host, row, { kind: "mapped", url: minified.url, debugIds, compiled });
  return compiled.added;
}

interface NewArtifact {
  readonly kind: ArtifactKind;
  readonly url: string;
  readonly debugIds: readonly string[];
  readonly compiled?: Awaited<ReturnType<typeof compile>>;
  /** Why its map was refused. */
  readonly detail?: string;
}

async function storeArtifact(
  { database }: Host,
  row: BundleRow,
  { kind, url, debugIds, compiled, detail = "" }: NewArtifact,
): Promise<void> {
  await database
    .write<Tables>()
    .transaction()
    .execute(async (transaction) => {
      const { id } = await transaction
        .insertInto("source_artifact")
        .values({
          project_id: row.project_id,
          bundle_id: row.id,
          url,
          kind,
          index_blob_id: compiled?.index ?? null,
          sources_blob_id: compiled?.sources ?? null,
          detail,
        })
        .returning("id")
        .executeTakeFirstOrThrow();
      if (debugIds.length > 0) {
        const ids = debugIds.map((one) => ({
          project_id: row.project_id,
          debug_id: bytesOfDebugId(one),
          artifact_id: id,
        }));
        await transaction.insertInto("source_debug_id").values(ids).execute();
      }
      const used = compiled?.blobs ?? [];
      for (let n = 0; n < used.length; n += blobsAtOnce) {
        const blobs = used.slice(n, n + blobsAtOnce).map((blob_id) => ({ artifact_id: id, blob_id }));
        await transaction.insertInto("source_blob_use").values(blobs).execute();
      }
    });
}

const blobsAtOnce = 1_000;

/** Compiles a map in a worker and stores its index, its list of sources, and their texts. */
async function compile(
  { database }: Host,
  compiler: MapCompiler,
  { row, bundle, pair }: { row: BundleRow; bundle: Bundle; pair: Pair<File> },
) {
  const { minified, map } = pair;
  const { index, sources } = await compiler.compile({
    headers: minified.headers,
    script: await bundle.packed(minified.path),
    map: map === "inline" ? map : await bundle.packed(map.path),
  });
  const withText = sources.filter(({ content }) => content?.length);
  const texts = await writeBlobs(
    database,
    row.project_id,
    withText.flatMap(({ content }) => content ?? []),
  );
  const blobOf = new Map(texts.map(({ id }, n) => [withText[n], id]));
  const list: StoredSource[] = sources.map((source) => {
    const { name, isIgnored } = source;
    return { name, isIgnored, blobId: blobOf.get(source) ?? null };
  });
  const rest = await writeBlobs(database, row.project_id, [index, writeSources(list)]);
  const [indexBlob, listBlob] = rest;
  const all = [...texts, ...rest];
  return {
    index: indexBlob.id,
    sources: listBlob.id,
    blobs: [...new Set(all.map(({ id }) => id))],
    added: all.reduce((sum, { added }) => sum + added, 0),
  };
}

export async function bytesOfProject({ database }: Host, projectId: number): Promise<number> {
  const { bytes } = await database
    .read<Tables>()
    .selectFrom("source_bundle")
    .select(({ fn }) => fn.sum<number | string | null>("stored_bytes").as("bytes"))
    .where("project_id", "=", projectId)
    .executeTakeFirstOrThrow();
  return Number(bytes ?? 0);
}
