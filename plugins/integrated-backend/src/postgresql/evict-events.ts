import { inBackground } from "@faultline/plugin/flow";
import { hourMs, dayMs } from "@faultline/plugin";
import { sql, type Kysely } from "kysely";
import type { EvictionStorage, OldEvent, Storage } from "../storage.ts";
import { factsOf } from "../counts/count-events.ts";
import type { EventTable, Tables } from "../tables.ts";
import { subtract } from "./counts.ts";
import { settleErrors } from "./retention.ts";
import { keepErrorOfFeedback } from "./keep-error-of-feedback.ts";
import { addUsage } from "./usage.ts";

/**
 * See EvictionStorage. The key of events begins with the project and the time of receipt, so the oldest events are
 * found immediately.
 */
export class PostgresqlEviction implements EvictionStorage {
  readonly #storage: Pick<Storage, "read" | "write" | "eventJsons">;
  readonly #read: Kysely<Tables>;
  readonly #write: Kysely<Tables>;

  constructor(storage: Pick<Storage, "read" | "write" | "eventJsons">) {
    this.#storage = storage;
    this.#read = storage.read;
    this.#write = storage.write;
  }

  async oldestEvents(projectId: number, after: number, limit: number) {
    const { rows: events } = await sql<OldEvent>`
      select e.id, error_id, occurred_at, received_at, coalesce(length(content), 0) + 512 as bytes
      from (
        select project_id, id, error_id, occurred_at, received_at from integrated_event
        where project_id = ${projectId} and id > ${after} order by id limit ${limit}
      ) e
      left join integrated_payload p on p.project_id = e.project_id and event_row_id = e.id
      order by e.id`.execute(this.#read);
    return { events, place: events.at(-1)?.id };
  }

  /**
   * Deletes events in the way of retention: the subtractions from the counters are noted with the deletion, and then
   * settled.
   */
  async deleteOldest(projectId: number, events: readonly OldEvent[]): Promise<boolean> {
    const ids = JSON.stringify(events.map(({ id }) => id));
    const ofEvents = (column: string) => sql`project_id = ${projectId} and ${sql.ref(column)} in (
      select value::bigint from jsonb_array_elements_text(${ids}::jsonb) as j (value))`;
    const { rows } = await sql<EventTable>`select * from integrated_event where ${ofEvents("id")}`.execute(this.#read);
    const facts = await factsOf(this.#storage, rows);
    await inBackground(() =>
      this.#write.transaction().execute(async (transaction) => {
        await subtract(transaction, projectId, { rows, facts });
        await keepErrorOfFeedback(
          transaction,
          sql`(select * from integrated_event where ${ofEvents("id")}) e where true`,
        );
        await sql`delete from integrated_origin where ${ofEvents("event_row_id")}`.execute(transaction);
        const { rows: payloads } = await sql<{ bytes: number }>`
          with gone as (
            delete from integrated_payload where ${ofEvents("event_row_id")} returning length(content) as bytes
          )
          select coalesce(sum(bytes), 0)::bigint as bytes from gone`.execute(transaction);
        const { rows: gone } = await sql<{ events: number }>`
          with gone as (
            delete from integrated_event where ${ofEvents("id")} returning error_id, occurred_at
          ), noted as (
            insert into integrated_expired as e (project_id, error_id, hour, event_count)
            select ${projectId}::bigint, error_id, occurred_at / ${sql.lit(hourMs)}, count(*) from gone group by 2, 3
            on conflict (project_id, error_id, hour) do update set event_count = e.event_count + excluded.event_count
          )
          select count(*) as events from gone`.execute(transaction);
        const [bytes, count] = [payloads[0]?.bytes ?? 0, gone[0]?.events ?? 0];
        await addUsage(transaction, sql`select ${projectId}::bigint, ${-count}::bigint, ${-bytes}::bigint, 0::bigint`);
      }),
    );
    await this.#settle(projectId, [...new Set(events.map(({ error_id }) => error_id))], 0);
    return true;
  }

  async errorsUntil(projectId: number, day: number): Promise<number[]> {
    const rows = await this.#read
      .selectFrom("integrated_error")
      .select("id")
      .where("project_id", "=", projectId)
      .where("first_seen_at", "<", (day + 2) * dayMs) // by the clocks of senders, which may be ahead
      .execute();
    return rows.map(({ id }) => id);
  }

  deleteLastSeen(projectId: number, errorIds: readonly number[], day: number): Promise<void> {
    return this.#settle(projectId, errorIds, day + 1);
  }

  #settle(projectId: number, errorIds: readonly number[], day: number): Promise<void> {
    const errors = errorIds.map((error_id) => ({ project_id: projectId, error_id }));
    return inBackground(() =>
      this.#write.transaction().execute((transaction) => settleErrors(transaction, errors, day)),
    );
  }
}
