import { hourMs } from "@faultline/plugin";
import type { Kysely } from "kysely";
import { inBackground } from "../retention/yield-to-ingestion.ts";
import { dayMs } from "../retention/retention.ts";
import type { Tables } from "../tables.ts";

/** How long feedback waits for its event: SDKs send both within seconds of each other. */
const waitMs = hourMs;

/** Rows that one short statement looks at. */
const sliceRows = 500;

/** Deletes feedback about events that never arrived: anyone with a DSN can send any amount of it. */
export class OrphanedFeedback {
  /** Feedback received before this time has been checked. */
  #from = 0;

  /** Deletes the feedback that has waited long enough for its event, and returns the number of entries. */
  async delete(database: Kysely<Tables>, now: number, signal: AbortSignal): Promise<number> {
    const until = now - waitMs;
    let deleted = 0;
    for (let from = this.#from; from < until;) {
      if (signal.aborted) return deleted;
      const slice = await inBackground(() => deleteSlice(database, from, until));
      deleted += slice.deleted;
      from = slice.end;
    }
    this.#from = Math.max(this.#from, until - dayMs); // the day again, as feedback that waits in a queue is stored late
    return deleted;
  }
}

async function deleteSlice(database: Kysely<Tables>, from: number, until: number) {
  const beyond = await database
    .selectFrom("integrated_feedback")
    .select("received_at")
    .where("received_at", ">=", from)
    .where("received_at", "<", until)
    .orderBy("received_at")
    .offset(sliceRows)
    .limit(1)
    .executeTakeFirst();
  const end = beyond ? Math.max(beyond.received_at, from + 1) : until;
  const { numDeletedRows } = await database
    .deleteFrom("integrated_feedback")
    .where("received_at", ">=", from)
    .where("received_at", "<", end)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("integrated_event as event")
            .select("event.id")
            .whereRef("event.project_id", "=", "integrated_feedback.project_id")
            .whereRef("event.event_id", "=", "integrated_feedback.event_id"),
        ),
      ),
    )
    .executeTakeFirstOrThrow();
  return { deleted: Number(numDeletedRows), end };
}
