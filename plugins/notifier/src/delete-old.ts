import type { Host } from "@faultline/plugin";
import type { Tables } from "./tables.ts";

const dayMs = 86_400_000;

/** How long evaluated changes are kept. */
const signalDays = 7;
/** How long deliveries with their tries, and counts of unreported changes, are kept. */
const recordDays = 30;
/** How long the progress of errors to the next power of ten is kept: as long as errors. */
const milestoneDays = 90;
/** How long releases with new errors are kept. */
const releaseDays = 365;
/** How long recent reports are kept; see evaluate.ts. */
const reportedMs = 3_600_000;
/** Rows that a statement deletes, so that storing waits only some milliseconds. */
const rowsAtOnce = 1_000;

/** Deletes expired rows. */
export async function deleteOld({ database, deletionClock }: Host, signal: AbortSignal): Promise<void> {
  const write = database.write<Tables>();
  const now = deletionClock.now();
  const slices = [
    () =>
      write.deleteFrom("notifier_signal").where(({ eb, selectFrom }) =>
        eb(
          "id",
          "in",
          selectFrom("notifier_signal")
            .select("id")
            .where("done_at", "<", now - signalDays * dayMs)
            .limit(rowsAtOnce),
        ),
      ),
    () =>
      write.deleteFrom("notifier_delivery").where(({ eb, selectFrom }) =>
        eb(
          "id",
          "in",
          selectFrom("notifier_delivery")
            .select("id")
            .where("finished_at", "<", now - recordDays * dayMs)
            .limit(rowsAtOnce),
        ),
      ),
  ];
  for (const slice of slices) {
    let deleted = rowsAtOnce;
    while (deleted === rowsAtOnce && !signal.aborted) {
      const [result] = await slice().execute();
      deleted = Number(result?.numDeletedRows ?? 0);
    }
  }
  if (signal.aborted) return;
  await write
    .deleteFrom("notifier_reported")
    .where("reported_at", "<", now - reportedMs)
    .execute();
  await write
    .deleteFrom("notifier_server")
    .where("next_try_at", "<", now - recordDays * dayMs)
    .execute();
  await write
    .deleteFrom("notifier_suppression")
    .where("hour_at", "<", now - recordDays * dayMs)
    .execute();
  await write
    .deleteFrom("notifier_milestone")
    .where("seen_at", "<", now - milestoneDays * dayMs)
    .execute();
  await write
    .deleteFrom("notifier_release")
    .where("seen_at", "<", now - releaseDays * dayMs)
    .execute();
  await write
    .deleteFrom("notifier_met")
    .where("met_at", "<", now - signalDays * dayMs)
    .execute();
  await write.deleteFrom("notifier_maintenance").where("ends_at", "<", now).execute();
}
