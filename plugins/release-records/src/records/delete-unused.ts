import { dayMs, type Host } from "@faultline/plugin";
import { limits } from "../limits.ts";
import type { Tables } from "../tables.ts";

/** Records that a statement deletes: each with up to 1,000 commits. */
const recordsAtOnce = 2;

/** Deletes the records that were not used for too long. */
export async function deleteUnused({ database, deletionClock }: Host, signal: AbortSignal): Promise<void> {
  const before = deletionClock.now() - limits.unusedDays * dayMs;
  let deleted = 1;
  while (deleted > 0 && !signal.aborted) {
    const [result] = await database
      .write<Tables>()
      .deleteFrom("release_record")
      .where(({ eb, selectFrom }) =>
        eb("id", "in", selectFrom("release_record").select("id").where("used_at", "<", before).limit(recordsAtOnce)),
      )
      .execute();
    deleted = Number(result?.numDeletedRows ?? 0);
  }
}
