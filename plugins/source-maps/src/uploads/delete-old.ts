import { dayMs, hourMs, type Database, type Host } from "@faultline/plugin";
import { ArtifactBundleState } from "@faultline/proto";
import { deleteOldChunks } from "./stored-chunks.ts";
import type { Tables } from "../tables.ts";
import { uploadLimits } from "./limits.ts";

/** Rows that a statement deletes, so that storing waits only for some milliseconds. */
const rowsAtOnce = 20;

/**
 * Deletes chunks that wait for too long, bundles that map nothing any more or could not be used, and contents that no bundle needs,
 * which includes what an interrupted reading left: it must not run beside a turn of one.
 */
export async function deleteOld({ database, deletionClock }: Host, signal: AbortSignal): Promise<void> {
  const write = database.write<Tables>();
  const now = deletionClock.now();
  const latestUse = now - uploadLimits.unusedDays * dayMs;
  await deleteOldChunks(database, now - uploadLimits.chunkHours * hourMs, signal);
  const slices = [
    () =>
      write.deleteFrom("source_bundle").where(({ eb, selectFrom, fn, val }) =>
        eb(
          "id",
          "in",
          selectFrom("source_bundle")
            .select("id")
            .where("created_at", "<", latestUse)
            .where(fn.coalesce("used_at", val(0)), "<", latestUse)
            .limit(rowsAtOnce),
        ),
      ),
    () =>
      write.deleteFrom("source_bundle").where(({ eb, selectFrom }) =>
        eb(
          "id",
          "in",
          selectFrom("source_bundle")
            .select("id")
            .where("state", "=", ArtifactBundleState.ERROR)
            .where("created_at", "<", now - uploadLimits.failedHours * hourMs)
            .limit(rowsAtOnce),
        ),
      ),
    () =>
      write.deleteFrom("source_blob").where(({ eb, selectFrom }) =>
        eb(
          "id",
          "in",
          selectFrom("source_blob as blob")
            .select("blob.id")
            .leftJoin("source_blob_use as needed", "needed.blob_id", "blob.id")
            .where("needed.blob_id", "is", null)
            .limit(1), // with up to some thousand pages
        ),
      ),
  ];
  for (const slice of slices) {
    let deleted = 1;
    while (deleted > 0 && !signal.aborted) {
      const [result] = await slice().execute();
      deleted = Number(result?.numDeletedRows ?? 0);
    }
  }
}

/** Deletes the oldest uploads of a project that could not be used, beyond the newest 100. To be called after each. */
export async function deleteFailed(database: Database, projectId: number): Promise<void> {
  await database
    .write<Tables>()
    .deleteFrom("source_bundle")
    .where(({ eb, selectFrom }) =>
      eb(
        "id",
        "in",
        selectFrom("source_bundle")
          .select("id")
          .where("project_id", "=", projectId)
          .where("state", "=", ArtifactBundleState.ERROR)
          .orderBy("created_at", "desc")
          .orderBy("id", "desc")
          .limit(rowsAtOnce)
          .offset(uploadLimits.failedOfProject),
      ),
    )
    .execute();
}
