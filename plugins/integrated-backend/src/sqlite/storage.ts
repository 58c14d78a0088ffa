import { inBackground } from "@faultline/plugin/flow";
import { millisecondsOf, type Host, dayMs } from "@faultline/plugin";
import { sql, type Kysely } from "kysely";
import type { BatchParameters } from "../storing/batch-parameters.ts";
import { hidden, type OfDeletion, type DueError, type EventTable, type Tables } from "../tables.ts";
import { jsonAt, type Place } from "../event/payload.ts";
import { groupOf, type GroupRow } from "../storing/new-errors.ts";
import { signTransitions } from "../changes/change-statuses.ts";
import type {
  SessionParameters,
  Erased,
  EventPage,
  StatusChange,
  Storage,
  Group,
  SqlDialect,
  EvictionStorage,
  OldEvent,
} from "../storage.ts";
import { callBatchProcedure, createBatchProcedure } from "./batch-procedure.ts";
import { createCountProcedure } from "./count-procedure.ts";
import { SqliteCounts } from "./counts.ts";
import { createDeleteProcedure, callDeleteProcedure } from "./delete-procedure.ts";
import { deleteProject } from "./delete-project.ts";
import { eraseNext } from "./erase.ts";
import { eventJsons } from "./payloads/event-jsons.ts";
import { packNext, createPackProcedure } from "./payloads/pack.ts";
import { createRewriteProcedure } from "./payloads/rewrite.ts";
import { deleteExpired, giveSpaceBack, subtractionsOf, type CountedStorage } from "./retention.ts";
import {
  callSearchProcedure,
  createSearchProcedure,
  mergeSearchIndex,
  errorsWith,
  idsOfStatus,
} from "./search-index.ts";
import { callSessionProcedure, createSessionProcedure } from "./session-procedure.ts";
import { EventRowIds, KnownRows } from "./writer-cache.ts";

const packingIntervalMs = 5_000;

/** The interval between merges. Much of the index may change within it. */
const mergingIntervalMs = 3_600_000;

/**
 * Events per millisecond beyond which packing leaves the machine to ingestion: packing takes 0.4 ms of a core for 25
 * kB.
 */
const busyRate = 0.5;

/** The tables in SQLite's one file, which only this process writes. */
export class SqliteStorage implements Storage {
  readonly read: Kysely<Tables>;
  readonly readExpensively: Kysely<Tables>;
  readonly write: Kysely<Tables>;
  readonly writeEvents: Kysely<Tables>;
  readonly dialect = dialect;
  readonly expensiveReads = 2; // one per connection
  readonly eviction: SqliteEviction;
  readonly counting: SqliteCounts;
  memory = { rowIds: new EventRowIds(0), knownRows: new KnownRows() };

  #hasFreedSpace = false;
  #seen = { rowId: Infinity, at: 0 };

  constructor({ database, log }: Host) {
    this.read = database.read<Tables>();
    this.readExpensively = database.readExpensively<Tables>();
    this.write = database.write<Tables>();
    this.writeEvents = database.writeEvents<Tables>();
    this.counting = new SqliteCounts({ read: this.read, write: this.write, log });
    this.eviction = new SqliteEviction(this, () => (this.#hasFreedSpace = true));
  }

  async prepare(): Promise<void> {
    await createBatchProcedure(this.write);
    await createCountProcedure(this.write);
    await createPackProcedure(this.write);
    await createDeleteProcedure(this.write);
    await createRewriteProcedure(this.write);
    await createSessionProcedure(this.write);
    await createSearchProcedure(this.write);
    // A block is named by its newest event, which may be deleted before the others.
    const { rows } = await sql<{ id: number }>`select max(
      coalesce((select max(id) from integrated_event), 0),
      coalesce((select max(last_row_id) from integrated_block), 0)) as id`.execute(this.read);
    this.memory = { rowIds: new EventRowIds(rows[0]?.id ?? 0), knownRows: new KnownRows() };
    await this.counting.start(this.memory.rowIds.last);
  }

  schedule({ scheduler, clock }: Host): void {
    scheduler.every(packingIntervalMs, "pack payloads", (signal) => this.#pack(clock.now, signal));
    scheduler.every(mergingIntervalMs, "merge the search index", (signal) => mergeSearchIndex(this.write, signal));
  }

  storeBatch(database: Kysely<Tables>, batch: BatchParameters): Promise<boolean> {
    return callBatchProcedure(database, batch);
  }

  async storedAmong(database: Kysely<Tables>, events: string): Promise<number[]> {
    const { rows } = await sql<{ n: number }>`
    select j.key as n from json_each(${events}) j
    join integrated_event e on e.project_id = j.value ->> 0 and e.event_id = unhex(j.value ->> 1)`.execute(database);
    return rows.map(({ n }) => n);
  }

  async groups(groups: readonly (readonly [projectId: number, hash: string])[]): Promise<Group[]> {
    const { rows } = await sql<GroupRow>`
    select e.id, c.day, c.error_count, c.used_until
    from json_each(${JSON.stringify(groups)}) j
    left join integrated_error e on e.project_id = j.value ->> 0 and e.group_hash = unhex(j.value ->> 1)
    left join integrated_new_error c on c.project_id = j.value ->> 0
    order by j.key`.execute(this.read);
    return rows.map(groupOf);
  }

  storeSessions(database: Kysely<Tables>, sessions: SessionParameters): Promise<void> {
    return callSessionProcedure(database, sessions);
  }

  async storeFeedback(database: Kysely<Tables>, feedback: string, max: number): Promise<number[]> {
    const isMissing = sql`not exists (select 1 from integrated_feedback f where f.project_id = value ->> 0
      and f.event_id = unhex(value ->> 1) and f.content_hash = unhex(value ->> 2))`;
    await sql`insert into integrated_feedback (
      project_id, event_id, content_hash, name, email, comments, received_at, url, source, environment, release)
    select value ->> 0, unhex(value ->> 1), unhex(value ->> 2), value ->> 3, value ->> 4, value ->> 5, value ->> 6,
      value ->> 7, value ->> 8, value ->> 9, value ->> 10
    from (
      select key, value, row_number() over (partition by value ->> 0, value ->> 1 order by key) as n
      from json_each(${feedback}) where ${isMissing}
    )
    where value ->> 1 = '' or n + (select count(*) from integrated_feedback f
      where f.project_id = value ->> 0 and f.event_id = unhex(value ->> 1)) <= ${max}
    order by key`.execute(database);
    const { rows } = await sql<{ n: number }>`
    select key as n from json_each(${feedback}) where ${isMissing}`.execute(database);
    return rows.map(({ n }) => n);
  }

  /**
   * Takes one trip. An error without such events returns one row without an event, and a missing error returns no row.
   */
  async nextEvents({ projectId, errorId, startTime, endTime, place, limit }: EventPage) {
    const found = await this.read
      .selectFrom("integrated_error as error")
      .leftJoin("integrated_event as event", (join) => {
        let events = join.onRef("event.error_id", "=", "error.id");
        if (startTime) events = events.on("occurred_at", ">=", millisecondsOf(startTime));
        if (endTime) events = events.on("occurred_at", "<", millisecondsOf(endTime));
        if (!place) return events;
        return events.on(({ eb, refTuple, tuple }) =>
          eb(refTuple("occurred_at", "event.id"), "<", tuple(place[0], place[1])),
        );
      })
      .selectAll("event")
      .where("error.id", "=", errorId)
      .where("error.project_id", "=", projectId)
      .where("error.status", "<>", hidden)
      .orderBy("occurred_at", "desc")
      .orderBy("event.id", "desc")
      .limit(limit)
      .$castTo<EventTable | { id: null }>()
      .execute();
    return found.length === 0 ? undefined : found.filter((row) => row.id !== null);
  }

  async eventJson({ id }: Pick<EventTable, "id">): Promise<Buffer> {
    const { rows } = await sql<Place>`
    select encoding, start, length, content from integrated_payload where event_row_id = ${id}
    union all
    select null, start, length, content from integrated_packed join integrated_block on last_row_id = block_row_id
    where event_row_id = ${id}`.execute(this.read);
    const [place] = rows;
    if (!place) throw new Error(`The payload of the event with row id ${id} is missing.`);
    return jsonAt(place);
  }

  eventJsons(database: Kysely<Tables>, events: readonly Pick<EventTable, "id">[]) {
    return eventJsons(
      database,
      events.map(({ id }) => id),
    );
  }

  async setStatuses(transaction: Kysely<Tables>, { projectId, statuses, actor }: StatusChange): Promise<void> {
    await sql`update integrated_error set status = j.value ->> 1, status_changed_at = ${actor.at}, reopened_at = null
      from json_each(${JSON.stringify(statuses)}) j where integrated_error.id = j.value ->> 0`.execute(transaction);
    await signTransitions(transaction, projectId, actor);
  }

  indexErrors(errors: readonly DueError[]): Promise<void> {
    return callSearchProcedure(this.write, errors);
  }

  deleteExpired(now: number, signal: AbortSignal): Promise<number> {
    return deleteExpired(this, now, signal);
  }

  eraseNext(of: OfDeletion): Promise<Erased> {
    return eraseNext(this, of);
  }

  giveSpaceBack(signal: AbortSignal): Promise<void> {
    return giveSpaceBack(this.write, signal);
  }

  deleteProject(projectId: number): Promise<boolean> {
    return deleteProject(this.write, projectId);
  }

  /** Packs payloads while the process has little else to do, and returns the freed space once all are packed. */
  async #pack(now: () => number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#isBusy()) return;
      if (!(await packNext(this, now()))) break;
      this.#hasFreedSpace = true;
    }
    if (!this.#hasFreedSpace) return;
    await giveSpaceBack(this.write, signal);
    this.#hasFreedSpace = signal.aborted;
  }

  /** Whether many events were stored since the last call. */
  #isBusy(): boolean {
    const now = { rowId: this.memory.rowIds.last, at: performance.now() };
    const before = this.#seen;
    this.#seen = now;
    return (now.rowId - before.rowId) / (now.at - before.at) > busyRate;
  }
}

/** The dialect of SQLite. Its LIKE ignores the case of ASCII letters. */
const dialect: SqlDialect = {
  contains: (column, text) =>
    sql`${sql.ref(column)} like ${`%${text.replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`} escape '\\'`,
  isLike: (text, pattern) => sql`${text} glob ${pattern.map((part) => part.replace(/[*?[]/g, "[$&]")).join("*")}`,
  isOneOf: (column, texts) => sql`${sql.ref(column)} in (select value from json_each(${JSON.stringify(texts)}))`,
  joinInOrder: sql`cross join`,
  hourList: sql<string>`json_group_array(json_array(hour, event_count))`,
  sortsByRowId: true,
  locked: sql``, // the file has only one writer
  bigInteger: sql`integer`,
  hiddenHash: sql`unhex(hex(group_hash) || printf('%016x', id))`,
  // The event that names a block may be deleted while others remain in it.
  storedPayloads: sql`
    select project_id, 0, sum(length(content)), 0
    from integrated_payload join integrated_event on id = event_row_id group by 1
    union all
    select (
      select project_id from integrated_packed join integrated_event on id = event_row_id
      where event_row_id between first_row_id and last_row_id and block_row_id = last_row_id limit 1
    ), 0, sum(length(content)), 0 from integrated_block group by 1`,
  expiredEvents: sql`select 0, 0 where false`, // events leave their counters when they are deleted
  sameProject: () => sql``,
  errorsWith,
  hasIndexedTexts: false,
  idsOfStatus,
  isAmong: (projectId, ids) => sql`id in (${ids}) and +project_id = ${projectId}`, // `+`: not by the project's index
  isOfRelease: (_, ids) => sql`release_id in (${ids})`,
  among: (projectId, status, ids) =>
    sql`(select * from integrated_error where project_id = ${projectId} and status = ${status} and +id in (${ids}))`,
  jsonArray: (values) => sql`json_array(${sql.join(values)})`,
  jsonOfRows: (row) => sql`json_group_array(${row})`,
  hexOf: (column) => sql`hex(${sql.ref(column)})`,
  valuesOf: (numbers, name) => sql`json_each(${JSON.stringify(numbers)}) as ${sql.ref(name)}`,
};

/** Events of all projects in one window: 3 ms on a connection for reading. */
const windowEvents = 5_000;

/** The share of an event in its block. The block itself is deleted with its last event. */
const shareOfBlock = sql`(
  select length(content) * packed.length / (
    select max(start + length) from integrated_packed
    where event_row_id between first_row_id and last_row_id and block_row_id = last_row_id)
  from integrated_packed packed join integrated_block on last_row_id = block_row_id where event_row_id = id)`;

/** See EvictionStorage. */
class SqliteEviction implements EvictionStorage {
  readonly #storage: CountedStorage & { readonly memory: { readonly knownRows: KnownRows } };
  readonly #read: Kysely<Tables>;
  readonly #write: Kysely<Tables>;
  readonly #freed: () => void;

  /** `freed` is called when pages become free. */
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

  /** Rows of the present day may be deleted with an error, so the cache treats no row as known meanwhile. */
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
