import { dayMs, hourMs, type Host } from "@faultline/plugin";
import type { Tables } from "../tables.ts";
import { uploadLimits } from "./limits.ts";

/** Rows that a statement deletes, so that storing waits only for some milliseconds. */
const rowsAtOnce = 20;

/**
 * Deletes chunks that wait for too long, bundles that map nothing any more, and contents that no bundle needs, which
 * includes what an interrupted reading left: it must not run beside one.
 */
export async function deleteOld({ database, deletionClock }: Host, signal: AbortSignal): Promise<void> {
  const write = database.write<Tables>();
  const now = deletionClock.now();
  const latestChunk = now - uploadLimits.chunkHours * hourMs;
  const latestUse = now - uploadLimits.unusedDays * dayMs;
  const slices = [
    () =>
      write
        .deleteFrom("source_chunk")
        .where(({ eb, refTuple, selectFrom }) =>
          eb(
            refTuple("user_id", "sha1"),
            "in",
            selectFrom("source_chunk")
              .select(["user_id", "sha1"])
              .where("created_at", "<", latestChunk)
              .limit(rowsAtOnce)
              .$asTuple("user_id", "sha1"),
          ),
        ),
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
