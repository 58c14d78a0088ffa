import type { ErrorEvent } from "@faultline/proto";
import { sql, type Kysely } from "kysely";
import type { Storage } from "../storage.ts";
import type { Tables } from "../tables.ts";

/** Events that a discard stopped and whose counts are not written yet. */
export interface StoppedEvents {
  readonly id: number;
  readonly projectId: number;
  /** By the hour, counted from 1970. */
  readonly hours: Map<number, number>;
  lastAt: number;
  sample: { readonly event: ErrorEvent; readonly day: number; readonly receivedAt: number } | undefined;
}

interface Ended {
  readonly id: number;
  readonly projectId: number;
  readonly endedAt: number;
}

const samplesKept = 3;

/**
 * Adds the stopped events to the counters of their discards, and marks the discards that are over, in one transaction.
 */
export async function writeStopped(
  storage: Storage,
  { stopped, over }: { readonly stopped: readonly StoppedEvents[]; readonly over: readonly Ended[] },
): Promise<void> {
  const inOneOrder = stopped.toSorted((a, b) => a.projectId - b.projectId || a.id - b.id); // the same in all processes
  await storage.write.transaction().execute(async (transaction) => {
    for (const events of inOneOrder) await add(transaction, events);
    for (const { id, projectId, endedAt } of over) {
      await transaction
        .updateTable("integrated_discard")
        .set({ ended_at: endedAt })
        .where("project_id", "=", projectId)
        .where("id", "=", id)
        .where("ended_at", "is", null)
        .execute();
    }
  });
}

async function add(
  transaction: Kysely<Tables>,
  { id, projectId, hours, lastAt, sample }: StoppedEvents,
): Promise<void> {
  const count = [...hours.values()].reduce((sum, one) => sum + one, 0);
  const { numUpdatedRows } = await transaction
    .updateTable("integrated_discard")
    .set({
      stopped_count: sql`stopped_count + ${count}`,
      last_stopped_at: sql`case when last_stopped_at > ${lastAt} then last_stopped_at else ${lastAt} end`,
    })
    .where("project_id", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return; // its project was deleted for good
  for (const [hour, ofHour] of hours) {
    await transaction
      .insertInto("integrated_discard_hour")
      .values({ project_id: projectId, discard_id: id, hour, event_count: ofHour })
      .onConflict((conflict) =>
        conflict
          .columns(["project_id", "discard_id", "hour"])
          .doUpdateSet({ event_count: sql`integrated_discard_hour.event_count + ${ofHour}` }),
      )
      .execute();
  }
  if (!sample) return;
  const { event, day, receivedAt } = sample;
  await transaction
    .insertInto("integrated_discard_sample")
    .values({
      project_id: projectId,
      discard_id: id,
      day,
      event_id: Buffer.from(event.eventId, "hex"),
      received_at: receivedAt,
      encoding: event.payloadEncoding,
      start: event.payloadOffset,
      length: event.payloadLength,
      content: Buffer.from(event.payload),
    })
    .onConflict((conflict) => conflict.columns(["project_id", "discard_id", "day"]).doNothing())
    .execute();
  await sql`delete from integrated_discard_sample where project_id = ${projectId} and discard_id = ${id} and day not in (
    select day from integrated_discard_sample where project_id = ${projectId} and discard_id = ${id}
    order by day desc limit ${samplesKept})`.execute(transaction);
}
