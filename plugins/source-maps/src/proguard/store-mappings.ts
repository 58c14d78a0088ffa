import type { Host, Database } from "@faultline/plugin";
import { writeBlobs } from "../blobs/write-blobs.ts";
import type { BundleBytes } from "../bundle/bundle-bytes.ts";
import { defaultBundleLimits } from "../bundle/bundle-error.ts";
import { normalDebugId } from "../bundle/debug-id.ts";
import { contentOf, refuseLarge } from "../bundle/inflate-entry.ts";
import { readDirectory } from "../bundle/zip-directory.ts";
import { bytesOfDebugId } from "../events/artifacts.ts";
import { keptBytes } from "../kept-uploads.ts";
import type { MapCompiler } from "../mapping/compile-in-worker.ts";
import type { Tables } from "../tables.ts";
import { uploadLimits } from "../uploads/limits.ts";
import { type ReadingSteps, UploadFault } from "../uploads/reading-turns.ts";
import { mostWarnings, tooMuch, type BundleRow, type Stored } from "../uploads/store-bundle.ts";
import { mappingLimits, mappingTooLarge } from "./read-mapping.ts";

/** A mapping of an upload: the id that its name gives, and its text. */
interface Mapping {
  readonly namedId: string | undefined;
  readonly text: Buffer;
}

/** Mappings of a ZIP file: of the variants of an application. */
const mostMappings = 50;

/** Stores the mapping that an upload is, or the mappings that it holds as a ZIP file. Throws UploadFault, BundleError or MapError. */
export async function* storeMappings(
  host: Host,
  compiler: MapCompiler,
  { row, bytes, signal }: { row: BundleRow; bytes: BundleBytes; signal: AbortSignal },
): ReadingSteps<Stored> {
  const warnings: string[] = [];
  const room = uploadLimits.projectBytes - (await keptBytes(host, row.project_id));
  let [count, added] = [0, 0];
  // A separate function, so that a mapping does not stay in memory between two turns.
  const storeMapping = async ({ namedId, text }: Mapping) => {
    const compiled = await compiler.compile({ mapping: text });
    const [written] = await writeBlobs(host, row.project_id, [compiled.index]);
    await storeArtifact(host, row, { uuid: compiled.uuid, namedId, blobId: written.id });
    warnings.push(...compiled.warnings);
    count += 1;
    added += written.added;
    if (added > room) throw new UploadFault(tooMuch);
  };
  for await (const mapping of mappingsOf(bytes)) {
    signal.throwIfAborted();
    await storeMapping(mapping);
    yield 1;
  }
  return {
    file_count: count,
    mapped_file_count: count,
    stored_bytes: added,
    warnings: JSON.stringify(warnings.slice(0, mostWarnings)),
  };
}

async function* mappingsOf(bytes: BundleBytes): AsyncGenerator<Mapping> {
  const start = await bytes.read(0, Math.min(zipMagic.length, bytes.size));
  if (!start.equals(zipMagic)) {
    if (bytes.size > mappingLimits.bytes)
      throw mappingTooLarge(`has more than ${mappingLimits.bytes / 1024 / 1024} MiB`);
    yield { namedId: undefined, text: await bytes.read(0, bytes.size) };
    return;
  }
  const directory = await readDirectory(bytes, defaultBundleLimits);
  const named = [...directory.entries.values()].flatMap((entry) => {
    const namedId = mappingIdOf(entry.name);
    return namedId === undefined ? [] : [{ entry, namedId }];
  });
  if (named.length === 0) throw new UploadFault(noMapping);
  if (named.length > mostMappings)
    throw new UploadFault(`The upload has more than ${mostMappings} mappings. Upload them one by one.`);
  for (const { entry, namedId } of named) {
    refuseLarge(entry, { bytes: mappingLimits.bytes, name: "a mapping" }, defaultBundleLimits);
    yield { namedId, text: await contentOf(directory, entry) };
  }
}

/** PKWARE's APPNOTE, section 4.3.7. */
const zipMagic = Buffer.from("PK\x03\x04", "latin1");

const noMapping =
  "The upload has no mapping of ProGuard or R8, the only supported debug files. Upload source maps with sourcemaps upload.";

interface NewMapping {
  readonly uuid: string;
  readonly namedId: string | undefined;
  readonly blobId: number;
}

async function storeArtifact({ database }: Host, row: BundleRow, { uuid, namedId, blobId }: NewMapping): Promise<void> {
  await database
    .write<Tables>()
    .transaction()
    .execute(async (transaction) => {
      // Ids that came while it was read are seen here, or find the artifact: see addDebugId.
      const { debug_ids } = await transaction
        .updateTable("source_bundle")
        .set({ file_count: 1 })
        .where("id", "=", row.id)
        .returning("debug_ids")
        .executeTakeFirstOrThrow();
      const known = JSON.parse(debug_ids) as string[]; // as the plugin stored it
      const ids = new Set([...(namedId === undefined ? known : [namedId]), uuid]);
      const all = JSON.stringify([...new Set([...known, ...ids])]);
      await transaction.updateTable("source_bundle").set({ debug_ids: all }).where("id", "=", row.id).execute();
      const values = { project_id: row.project_id, bundle_id: row.id, url: uuid, kind: "proguard" } as const;
      const { id } = await transaction
        .insertInto("source_artifact")
        .values({ ...values, index_blob_id: blobId, sources_blob_id: null, detail: "" })
        .returning("id")
        .executeTakeFirstOrThrow();
      const debugIds = [...ids].map((one) => ({
        project_id: row.project_id,
        debug_id: bytesOfDebugId(one),
        artifact_id: id,
      }));
      await transaction.insertInto("source_debug_id").values(debugIds).execute();
      await transaction.insertInto("source_blob_use").values({ artifact_id: id, blob_id: blobId }).execute();
    });
}

/** The id in the name by which sentry-cli uploads a mapping, such as `/proguard/8daf6b98-45d0-52e5-95b2-db2f30a12bb3.txt`. Undefined for other names. */
export function mappingIdOf(name: string): string | undefined {
  const [, id] = /(?:^|\/)proguard\/([^/]{32,36})\.txt$/.exec(name) ?? [];
  return normalDebugId(id);
}

/** Ids of a mapping, the newest. */
const mostIds = 100;

/** Gives a mapping one more id by which events name it, now or when it is read. */
export async function addDebugId(
  database: Database,
  bundle: { readonly id: number; readonly project_id: number; readonly debug_ids: string },
  debugId: string,
): Promise<void> {
  const known = JSON.parse(bundle.debug_ids) as string[]; // as the plugin stored it
  if (known.includes(debugId)) return;
  const kept = [...known, debugId].slice(-mostIds);
  const debug_ids = JSON.stringify(kept);
  await database
    .write<Tables>()
    .transaction()
    .execute(async (transaction) => {
      // The row first: a mapping that is being stored locks it as well, so that one of the two sees what the other did.
      await transaction.updateTable("source_bundle").set({ debug_ids }).where("id", "=", bundle.id).execute();
      const artifact = await transaction
        .selectFrom("source_artifact")
        .select("id")
        .where("bundle_id", "=", bundle.id)
        .executeTakeFirst();
      if (!artifact) return;
      await transaction
        .insertInto("source_debug_id")
        .values({ project_id: bundle.project_id, debug_id: bytesOfDebugId(debugId), artifact_id: artifact.id })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      await transaction
        .deleteFrom("source_debug_id")
        .where("artifact_id", "=", artifact.id)
        .where("debug_id", "not in", kept.map(bytesOfDebugId))
        .execute();
    });
}
