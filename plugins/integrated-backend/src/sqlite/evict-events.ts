import { sql, type Kysely } from "kysely";
import type { EvictionStorage, OldEvent } from "../retention/evict-events.ts";
import { inBackground } from "../retention/yield-to-ingestion.ts";
import { dayMs } from "../retention/retention.ts";
import type { Tables } from "../tables.ts";
import { callDeleteProcedure } from "./delete-procedure.ts";
import { subtractionsOf, type CountedStorage } from "./retention.ts";
import type { KnownRows } from "./writer-cache.ts";

/** Events of all projects in one window: 3 ms, on a connection for reading. */
const windowEvents = 5_000;

/** The share of an event in its block. The block itself is deleted with the last of its events. */
const shareOfBlock = sql`(
  select length(content) * packed.length / (
    select max(start + length) from integrated_packed
    where event_row_id between first_row_id and last_row_id and block_row_id = last_row_id)
  from integrated_packed packed join integrated_block on last_row_id = block_row_id where event_row_id = id)`;

/** See EvictionStorage. */
export class SqliteEviction implements EvictionStorage {
  readonly #storage: CountedStorage & { readonly memory: { readonly knownRows: KnownRows } };
  readonly #read: Kysely<Tables>;
  readonly #write: Kysely<Tables>;
  readonly #freed: () => void;

  /** `freed`: called when pages became free. */
  constructor(storage: CountedStorage & { readonly memory: { readonly knownRows: KnownRows } }, freed: () => void) {
    this.#storage = storage;
    this.#read = storage.read;
    this.#write = storage.write;
    this.#freed = freed;
  }

  async oldestEvents(projectId: number, after: number, limit: number) {
    const { rows } = await sql<{ last: number | null }>`select max(id) as last from (
      select id from integrated_event where id > ${after} order by id limit ${windowEvents})`.execute(this.#read);
    const place = rows[0]?.last ?? undefined;
    if (place === undefined) return { events: [], place };
    // The plus keeps SQLite from using the index of project and event id, which is not in the order of time.
    const { rows: events } = await sql<OldEvent>`
      select id, error_id, occurred_at, received_at, 512 + coalesce(
        (select length(content) from integrated_payload where event_row_id = id), ${shareOfBlock}, 0) as bytes
      from integrated_event
      where id > ${after} and id <= ${place} and +project_id = ${projectId}
      order by id limit ${limit}`.execute(this.#read);
    return { events, place };
  }

  /** Rows of the present day may be deleted with an error, so the cache treats none as known meanwhile. */
  async deleteOldest(_projectId: number, oldest: readonly OldEvent[]): Promise<boolean> {
    const events = await this.#read
      .selectFrom("integrated_event")
      .selectAll()
      .where(
        "id",
        "in",
        oldest.map(({ id }) => id),
      )
      .execute();
    if (events.length < oldest.length) return false;
    const isDeleted = await inBackground(() =>
      this.#storage.memory.knownRows.forgetAround(async () =>
        callDeleteProcedure(this.#write, { ...(await subtractionsOf(this.#storage, events)), tagged: "[]", day: 0 }),
      ),
    );
    if (isDeleted) this.#freed();
    return isDeleted;
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

  async deleteLastSeen(_projectId: number, errorIds: readonly number[], day: number): Promise<void> {
    const errors = JSON.stringify(errorIds);
    await inBackground(() =>
      this.#write.transaction().execute(async (transaction) => {
        for (const table of ["integrated_user", "integrated_tag"] as const) {
          await sql`delete from ${sql.table(table)} where last_seen_day <= ${day}
            and error_id in (select value from json_each(${errors}))`.execute(transaction);
        }
      }),
    );
  }
}
