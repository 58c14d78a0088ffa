import type { Host } from "@faultline/plugin";
import type { Kysely, Selectable } from "kysely";
import { bytesOfDebugId } from "../events/artifacts.ts";
import type { ArtifactKind, BundleTable, Tables } from "../tables.ts";

/** A minified file, or what there is of it, by which events find it. */
export interface NewArtifact {
  readonly kind: ArtifactKind;
  readonly url: string;
  readonly debugIds: readonly string[];
  readonly blobs?: ArtifactBlobs;
  /** Why its map was refused. */
  readonly detail?: string;
}

/** The blobs of a compiled map by id. */
export interface ArtifactBlobs {
  readonly index: number;
  readonly sources: number;
  /** These two and the texts of its sources, each once. */
  readonly all: readonly number[];
}

export type BundleIds = Pick<Selectable<BundleTable>, "id" | "project_id">;

/** Artifacts that share a transaction and its sync: storing events waits for some milliseconds of them. */
const artifactsAtOnce = 64;

/** Rows of an insert. SQLite takes 32,766 values. */
const rowsAtOnce = 1_000;

/** About the bytes of rows on disk, with their entries in indexes: of an artifact beside its texts, of one of its ids, and of a blob's use. */
const rowBytes = { artifact: 256, debugId: 128, use: 128 };

/** Stores artifacts of a bundle. */
export async function storeArtifacts(
  { database }: Host,
  bundle: BundleIds,
  artifacts: readonly NewArtifact[],
): Promise<void> {
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
