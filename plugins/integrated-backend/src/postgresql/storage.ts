import { millisecondsOf, type Host, dayMs } from "@faultline/plugin";
import { sql, type Kysely } from "kysely";
import type { WriterCache, BatchParameters } from "../storing/batch-parameters.ts";
import { hidden, type OfDeletion, type DueError, type EventTable, type Tables } from "../tables.ts";
import { groupingVersion } from "../grouping/group-events.ts";
import { jsonAt, type Place } from "../event/payload.ts";
import { groupOf, type GroupRow } from "../storing/new-errors.ts";
import { signTransitions } from "../changes/change-statuses.ts";
import type { SessionParameters, Erased, EventPage, StatusChange, Storage, Group, SqlDialect } from "../storage.ts";
import { PostgresqlCounts } from "./counts.ts";
import { deleteProject } from "./delete-project.ts";
import { eraseNext } from "./erase.ts";
import { PostgresqlEviction } from "./evict-events.ts";
import { makePartitions, makePartitionsAhead } from "./partitions.ts";
import { deleteExpired } from "./retention.ts";
import { TouchedTables } from "./touched-tables.ts";
import { asciiSmall } from "../search/tokens.ts";
import { storable } from "../event/storable-json.ts";
import { errorsWith, idsOfStatus } from "./search-index.ts";

const partitionIntervalMs = 3_600_000;

/**
 * Maximum sessions that are stored with the cached plans of the procedure. Even the worst plan takes little time for
 * them.
 */
const fewSessions = 10;

/** Payloads that are read at a time: the largest of them together are some megabytes. */
const jsonsAtOnce = 20;

/** The tables in a PostgreSQL database that several processes share. */
export class PostgresqlStorage implements Storage {
  readonly read: Kysely<Tables>;
  readonly readExpensively: Kysely<Tables>;
  readonly write: Kysely<Tables>;
  readonly writeEvents: Kysely<Tables>;
  readonly dialect = dialect;
  readonly memory = noMemory;
  readonly counting: PostgresqlCounts;
  readonly eviction: PostgresqlEviction;
  readonly #touched = new TouchedTables();
  readonly expensiveReads = 4; // of the ten connections of a process, which batches also need

  constructor({ database }: Host) {
    this.read = database.read<Tables>();
    this.readExpensively = database.readExpensively<Tables>();
    this.write = database.write<Tables>();
    this.writeEvents = database.writeEvents<Tables>();
    this.counting = new PostgresqlCounts(this.read, this.write);
    this.eviction = new PostgresqlEviction(this);
  }

  prepare(now: number): Promise<void> {
    return makePartitionsAhead(this.write, now);
  }

  schedule({ scheduler, clock }: Host): void {
    scheduler.every(partitionIntervalMs, "make partitions", () => makePartitionsAhead(this.write, clock.now()));
  }

  async storeBatch(database: Kysely<Tables>, batch: BatchParameters): Promise<boolean> {
    const { errors, events, payloads, places, hours, users, tags, newErrors, now } = batch;
    const store = async () => {
      const { rows } = await sql<{ answer: "stored" | "repeated" | "no partition" }>`
        select integrated_store_batch(${groupingVersion}, ${errors}, ${events}, ${payloads}, ${places}, ${hours}, ${users},
          ${tags}, ${now}, ${newErrors}) as answer`.execute(database);
      return rows[0]?.answer;
    };
    let answer = await store();
    if (answer === "no partition") {
      // For events of days without partitions. Outside the transaction, so that the next batch need not wait for it.
      await makePartitions(this.write, daysOf(events));
      answer = await store();
    }
    if (answer === "no partition") throw new Error("The partition of a day went while its events were stored.");
    return answer === "stored";
  }

  async storedAmong(database: Kysely<Tables>, events: string): Promise<number[]> {
    const { rows } = await sql<{ n: number }>`
      select n - 1 as n from jsonb_array_elements(${events}::jsonb) with ordinality as j (one, n)
      where exists (
        select from integrated_event where project_id = (one ->> 0)::bigint and event_id = decode(one ->> 1, 'hex')
      )`.execute(database);
    return rows.map(({ n }) => n);
  }

  async groups(groups: readonly (readonly [projectId: number, hash: string])[]): Promise<Group[]> {
    const { rows } = await sql<GroupRow>`
      select e.id, c.day, c.error_count, c.used_until
      from jsonb_array_elements(${JSON.stringify(groups)}::jsonb) with ordinality as j (one, n)
      left join integrated_error e on e.project_id = (one ->> 0)::bigint and e.group_hash = decode(one ->> 1, 'hex')
      left join integrated_new_error c on c.project_id = (one ->> 0)::bigint
      order by n`.execute(this.read);
    return rows.map(groupOf);
  }

  async storeSessions(database: Kysely<Tables>, { count, ...lists }: SessionParameters): Promise<void> {
    const procedure = sql.id(`integrated_store_${count > fewSessions ? "many_" : ""}sessions`);
    await sql`select ${procedure}(${lists.releases}, ${lists.updates}, ${lists.aggregates})`.execute(database);
  }

  /** Processes that simultaneously store feedback of one event may each fill the same last places. */
  async storeFeedback(database: Kysely<Tables>, feedback: string, max: number): Promise<number[]> {
    const missing = sql`
      select (one ->> 0)::bigint as project_id, decode(one ->> 1, 'hex') as event_id,
        decode(one ->> 2, 'hex') as content_hash, one, place
      from jsonb_array_elements(${feedback}::jsonb) with ordinality as j (one, place)
      where not exists (
        select from integrated_feedback f where f.project_id = (one ->> 0)::bigint
          and f.event_id = decode(one ->> 1, 'hex') and f.content_hash = decode(one ->> 2, 'hex')
      )`;
    await sql`insert into integrated_feedback (
        project_id, event_id, content_hash, name, email, comments, received_at, url, source, environment, release)
      select project_id, event_id, content_hash, one ->> 3, one ->> 4, one ->> 5, (one ->> 6)::bigint,
        one ->> 7, one ->> 8, one ->> 9, one ->> 10
      from (
        select *, row_number() over (partition by project_id, event_id order by place) as n from (${missing}) missing
      ) numbered
      where event_id = '' or n + (select count(*) from integrated_feedback f
        where f.project_id = numbered.project_id and f.event_id = numbered.event_id) <= ${max}
      order by project_id, event_id, place -- one order for all processes
      on conflict (project_id, event_id, content_hash) do nothing`.execute(database);
    const { rows } = await sql<{ n: number }>`select place - 1 as n from (${missing}) missing`.execute(database);
    return rows.map(({ n }) => Number(n));
  }

  async nextEvents({ projectId, errorId, startTime, endTime, place, limit }: EventPage) {
    const error = this.read
      .selectFrom("integrated_error")
      .select("integrated_error.id")
      .where("integrated_error.project_id", "=", projectId)
      .where("integrated_error.id", "=", errorId)
      .where("integrated_error.status", "<>", hidden);
    let events = this.read
      .selectFrom("integrated_event")
      .selectAll()
      .where("project_id", "=", projectId)
      .where("error_id", "=", errorId)
      .where(({ exists }) => exists(error));
    if (startTime) events = events.where("occurred_at", ">=", millisecondsOf(startTime));
    if (endTime) events = events.where("occurred_at", "<", millisecondsOf(endTime));
    if (place) {
      events = events.where(({ eb, refTuple, tuple }) => eb(refTuple("occurred_at", "id"), "<", tuple(...place)));
    }
    const found = await events.orderBy("occurred_at", "desc").orderBy("id", "desc").limit(limit).execute();
    if (found.length > 0) return found;
    return (await error.executeTakeFirst()) && [];
  }

  async eventJson({ project_id, id }: Pick<EventTable, "project_id" | "id">): Promise<Buffer> {
    const { rows } = await sql<Place>`
      select encoding, start, length, content from integrated_payload
      where project_id = ${project_id} and event_row_id = ${id}`.execute(this.read);
    const [place] = rows;
    if (!place) throw new Error(`The payload of the event with row id ${id} is missing.`);
    return jsonAt(place);
  }

  async *eventJsons(
    database: Kysely<Tables>,
    events: readonly Pick<EventTable, "project_id" | "id">[],
  ): AsyncGenerator<readonly [rowId: number, json: Buffer]> {
    for (let at = 0; at < events.length; at += jsonsAtOnce) {
      const some = events.slice(at, at + jsonsAtOnce);
      const { rows } = await sql<Place & { id: number }>`
        select event_row_id as id, encoding, start, length, content from integrated_payload
        where project_id = ${some[0]?.project_id} and event_row_id = any(${some.map(({ id }) => id)}::bigint[])
        order by event_row_id desc`.execute(database);
      for (const { id, ...place } of rows) yield [id, await jsonAt(place)];
    }
  }

  async setStatuses(transaction: Kysely<Tables>, { projectId, statuses, actor }: StatusChange): Promise<void> {
    const changes = JSON.stringify(statuses);
    await sql`
      with changed as materialized (
        select id, (one ->> 1)::integer as status
        from integrated_error join jsonb_array_elements(${changes}::jsonb) as j (one) on id = (one ->> 0)::bigint
        where project_id = ${projectId} and integrated_error.status <> ${sql.lit(hidden)}
        order by group_hash for update of integrated_error
      )
      update integrated_error as e set status = changed.status, status_changed_at = ${actor.at}, reopened_at = null
      from changed where e.project_id = ${projectId} and e.id = changed.id`.execute(transaction);
    await signTransitions(transaction, projectId, actor);
  }

  async indexErrors(errors: readonly DueError[]): Promise<void> {
    const list = JSON.stringify(errors.map(({ project_id, error_id }) => [project_id, error_id]));
    await sql`select integrated_index_errors(${list})`.execute(this.write);
  }

  deleteExpired(now: number, signal: AbortSignal): Promise<number> {
    return deleteExpired(this, now, signal);
  }

  eraseNext(of: OfDeletion): Promise<Erased> {
    return eraseNext(this.write, of, this.#touched);
  }

  giveSpaceBack(signal: AbortSignal): Promise<void> {
    return this.#touched.vacuum(this.write, signal);
  }

  async deleteProject(projectId: number): Promise<boolean> {
    const isDone = await deleteProject(this.write, projectId, this.#touched);
    if (isDone) await this.#touched.vacuum(this.write);
    return isDone;
  }
}

const noRows = { has: () => false };

/**
 * Row ids come from a sequence of the database. Known users and tags are not cached: integrated_store_batch reads them
 * without a lock, and a cache would be valid only after its transaction has committed.
 */
const noMemory: WriterCache = {
  rowIds: { next: () => 0 },
  knownRows: { of: () => noRows, add: () => undefined, clear: () => undefined, forgetAround: (work) => work() },
};

/** The days on which events were received, from the list in BatchParameters. */
function daysOf(events: string): Set<number> {
  const entries = JSON.parse(events) as (readonly unknown[])[];
  return new Set(entries.map((entry) => Math.floor(Number(entry[5]) / dayMs)));
}

/** The dialect of PostgreSQL. */
const dialect: SqlDialect = {
  // Takes half the time of ILIKE. Columns have the collation "C", so that only ASCII letters become lower case.
  contains: (column, text) => sql`position(${asciiSmall(text)} in lower(${sql.ref(column)})) > 0`,
  isLike: (text, pattern) =>
    sql`${text} like ${storable(pattern.map((part) => part.replace(/[\\%_]/g, "\\$&")).join("%"))}`,
  isOneOf: (column, texts) => sql`${sql.ref(column)} = any (${texts.map(storable)}::text[])`,
  joinInOrder: sql`join`, // by statistics
  hourList: sql<string>`coalesce(json_agg(json_build_array(hour, event_count)), '[]')::text`,
  sortsByRowId: false,
  locked: sql`for update`,
  bigInteger: sql`bigint`,
  hiddenHash: sql`group_hash || int8send(id)`,
  storedPayloads: sql`select project_id, 0, sum(length(content)), 0 from integrated_payload group by 1`,
  expiredEvents: sql`select project_id, -sum(event_count) from integrated_expired group by 1`,
  sameProject: (one, other) => sql` and ${sql.ref(`${one}.project_id`)} = ${sql.ref(`${other}.project_id`)}`,
  errorsWith,
  hasIndexedTexts: true,
  idsOfStatus,
  // An array is looked up id by id, whatever the planner estimates.
  isAmong: (projectId, ids) => sql`project_id = ${projectId} and id = any (array(${ids}))`,
  isOfRelease: (projectId, ids) => sql`project_id = ${projectId} and release_id = any (array(${ids}))`,
  // `is true` and `offset 0`: PostgreSQL reads the index and compares it with a hashed list first, and reads only the
  // rows in the list.
  among: (projectId, status, ids) =>
    sql`(select error.* from (
      select id from integrated_error
      where project_id = ${projectId} and status = ${status} and (id in (${ids})) is true offset 0
    ) as listed cross join lateral (
      select * from integrated_error where project_id = ${projectId} and id = listed.id offset 0
    ) as error)`,
  jsonArray: (values) => sql`json_build_array(${sql.join(values)})`,
  jsonOfRows: (row) => sql`coalesce(json_agg(${row}), '[]')`,
  hexOf: (column) => sql`encode(${sql.ref(column)}, 'hex')`,
  valuesOf: (numbers, name) => sql`unnest(${numbers}::bigint[]) as ${sql.ref(name)} (value)`,
};
