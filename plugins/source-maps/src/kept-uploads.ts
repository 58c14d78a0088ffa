import type { Host, KeptBytes, Evicted } from "@faultline/plugin";
import { ArtifactBundleState } from "@faultline/proto";
import type { Kysely } from "kysely";
import type { Tables } from "./tables.ts";

/**
 * The bytes that each project keeps. A content that several of its bundles have is stored once for the project, and counts once, until
 * the last of them is gone; projects share none. Chunks are of a person, and count for no project: see `chunksOfUser`.
 */
export async function usage({ database }: Host): Promise<KeptBytes[]> {
  const rows = await database.read<Tables>().selectFrom("source_kept").selectAll().where("bytes", ">", 0).execute();
  return rows.map(({ project_id, bytes }) => ({ projectId: Number(project_id), bytes: Number(bytes) }));
}

/** The same of one project. */
export async function keptBytes({ database }: Pick<Host, "database">, projectId: number): Promise<number> {
  const row = await database
    .read<Tables>()
    .selectFrom("source_kept")
    .select("bytes")
    .where("project_id", "=", projectId)
    .executeTakeFirst();
  return Number(row?.bytes ?? 0);
}

/** Contents that are looked at in one read, and that are deleted in a transaction. */
const lookedAtOnce = 1_000;
const deletedAtOnce = 20;

/** Bytes of deleted contents, before compression: about a megabyte on disk. */
const deletedBytes = 4 * 1024 * 1024;

/** Deletes uploads of projects, what events used longest ago first, and then the contents that no other upload needs. */
export class OldestUploads {
  /** How far contents of a project were looked through since its last upload was deleted: the digest of the last content. */
  readonly #place = new Map<number, Buffer>();

  /**
   * Deletes the contents that no upload needs before another upload goes, because their bytes may be enough. The contents of an upload that is
   * being read look the same, so nothing is deleted meanwhile.
   */
  async evict({ database }: Host, projectId: number): Promise<Evicted> {
    const read = database.read<Tables>();
    if (await isReading(read, projectId)) return { count: 0, next: "later" };
    for (;;) {
      const looked = await contentsAfter(read, projectId, this.#place.get(projectId) ?? Buffer.alloc(0));
      const last = looked.at(-1);
      if (!last) break;
      const unneeded = slice(looked.filter(({ isNeeded }) => !isNeeded));
      if (unneeded.length > 0) {
        if (!(await deleteContents(database.write<Tables>(), projectId, unneeded))) return { count: 0, next: "later" };
        return { count: unneeded.length, next: "more" };
      }
      this.#place.set(projectId, last.digest);
    }
    const isDeleted = await deleteOldest(database.write<Tables>(), projectId);
    this.#place.delete(projectId);
    return { count: Number(isDeleted), next: isDeleted ? "more" : "none" };
  }
}

interface Content {
  readonly id: number;
  readonly digest: Buffer;
  readonly size: number;
  readonly isNeeded: boolean;
}

/** Whether an upload of the project waits or is being read. */
async function isReading(tables: Kysely<Tables>, projectId: number): Promise<boolean> {
  const waiting = await tables
    .selectFrom("source_bundle")
    .select("id")
    .where("state", "=", ArtifactBundleState.CREATED)
    .where("project_id", "=", projectId)
    .limit(1)
    .execute();
  return waiting.length > 0;
}

/** The contents of a project in the order of their digests, the only order that an index has. */
async function contentsAfter(tables: Kysely<Tables>, projectId: number, digest: Buffer): Promise<Content[]> {
  const rows = await tables
    .selectFrom("source_blob as blob")
    .select(({ selectFrom }) => [
      "blob.id",
      "blob.digest",
      "blob.size",
      selectFrom("source_blob_use as needed")
        .select("needed.blob_id")
        .whereRef("needed.blob_id", "=", "blob.id")
        .limit(1)
        .as("needed"),
    ])
    .where("blob.project_id", "=", projectId)
    .where("blob.digest", ">", digest)
    .orderBy("blob.digest")
    .limit(lookedAtOnce)
    .execute();
  return rows.map(({ needed, ...blob }) => ({ ...blob, size: Number(blob.size), isNeeded: needed !== null }));
}

/** As many as are deleted together, and at least one. */
function slice(contents: readonly Content[]): readonly Content[] {
  let bytes = 0;
  const end = contents.findIndex(({ size }, n) => n === deletedAtOnce || (bytes += size) - size >= deletedBytes);
  return end < 0 ? contents : contents.slice(0, Math.max(1, end));
}

/**
 * Deletes contents, unless an upload came meanwhile, which may be about to use one of them. It is looked for at the end: one that comes
 * later finds them gone.
 */
async function deleteContents(
  write: Kysely<Tables>,
  projectId: number,
  contents: readonly Content[],
): Promise<boolean> {
  try {
    await write.transaction().execute(async (transaction) => {
      await transaction
        .deleteFrom("source_blob")
        .where(
          "id",
          "in",
          contents.map(({ id }) => id),
        )
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("source_blob_use as needed")
                .select("needed.blob_id")
                .whereRef("needed.blob_id", "=", "source_blob.id"),
            ),
          ),
        )
        .execute();
      if (await isReading(transaction, projectId)) throw new UploadCame();
    });
    return true;
  } catch (error) {
    if (error instanceof UploadCame) return false;
    throw error;
  }
}

/** Undoes a transaction. */
class UploadCame extends Error {}

/** Deletes the upload that events used longest ago, or that came longest ago. False if there is no upload. */
async function deleteOldest(write: Kysely<Tables>, projectId: number): Promise<boolean> {
  const oldest = await write
    .selectFrom("source_bundle")
    .select("id")
    .where("project_id", "=", projectId)
    .orderBy(({ fn, ref }) => fn.coalesce(ref("used_at"), ref("created_at")))
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  if (!oldest) return false;
  await write.deleteFrom("source_bundle").where("id", "=", oldest.id).execute();
  return true;
}
