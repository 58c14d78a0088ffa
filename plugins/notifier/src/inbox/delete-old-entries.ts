import type { Host } from "@faultline/plugin";
import type { Tables } from "../tables.ts";

const recordMs = 30 * 86_400_000;

/** The entries of a person that are kept; the oldest go, once an hour. */
const entriesOfPerson = 1_000;

/** Rows that a statement deletes, so that storing waits only for some milliseconds. */
const rowsAtOnce = 1_000;

/** Deletes entries that are too old or too many, and old counts of what people did not get. */
export async function deleteOldEntries({ database, deletionClock }: Host, signal: AbortSignal): Promise<void> {
  const write = database.write<Tables>();
  const before = deletionClock.now() - recordMs;
  const old = write.selectFrom("notifier_inbox").select("id").where("created_at", "<", before).limit(rowsAtOnce);
  let deleted = rowsAtOnce;
  while (deleted === rowsAtOnce && !signal.aborted) {
    const { numDeletedRows } = await write
      .deleteFrom("notifier_inbox")
      .where("id", "in", old)
      .executeTakeFirstOrThrow();
    deleted = Number(numDeletedRows);
  }
  const crowded = await database
    .readExpensively<Tables>()
    .selectFrom("notifier_inbox")
    .select("user_id")
    .groupBy("user_id")
    .having(({ fn }) => fn.countAll<number>(), ">", entriesOfPerson)
    .execute();
  for (const { user_id } of crowded) {
    if (signal.aborted) return;
    const own = write.selectFrom("notifier_inbox").select("id").where("user_id", "=", user_id);
    const newestOld = own.orderBy("id", "desc").limit(1).offset(entriesOfPerson);
    await write.deleteFrom("notifier_inbox").where("user_id", "=", user_id).where("id", "<=", newestOld).execute();
  }
  if (signal.aborted) return;
  await write.deleteFrom("notifier_person_suppression").where("hour_at", "<", before).execute();
}
