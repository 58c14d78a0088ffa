import { sql, type Kysely } from "kysely";
import type { CountStorage, UncountedEvents } from "../storage.ts";
import { otherValues, userKey, type Counts } from "../counts/counts.ts";
import { storableJson } from "../event/storable-json.ts";
import type { EventTable, Tables } from "../tables.ts";

/** Batches, or events of an earlier release, that are counted at a time. */
const sliceBatches = 20;
const sliceEvents = 200;

/** The day of receipt is above these bits of a row id, and a number of the sequence is in them; see the migration. */
const sequenceBits = sql.lit(2 ** 37);

/**
 * Counts events from their JSON after they are stored. Several processes store events, and adding to shared rows in
 * each batch would make them wait for each other. integrated_store_batch lists the events of each batch as not counted.
 */
export class PostgresqlCounts implements CountStorage {
  readonly #read: Kysely<Tables>;
  readonly #write: Kysely<Tables>;

  constructor(read: Kysely<Tables>, write: Kysely<Tables>) {
    this.#read = read;
    this.#write = write;
  }

  note(): void {}

  keepSmall(): Promise<void> {
    return Promise.resolve();
  }

  settle(): Promise<void> {
    return Promise.resolve();
  }

  take(): void {}

  async uncounted(): Promise<UncountedEvents | undefined> {
    return (await this.#ofBatches()) ?? (await this.#ofEarlierRelease());
  }

  async isComplete(projectId: number): Promise<boolean> {
    const { rows } = await sql<{ complete: boolean }>`
      select not exists (select from integrated_uncounted where project_id = ${projectId})
        and not exists (select from integrated_uncounted_batch where project_id = ${projectId}) as complete`.execute(
      this.#read,
    );
    return rows[0]?.complete === true;
  }

  async #ofBatches(): Promise<UncountedEvents | undefined> {
    const { rows: batches } = await sql<{ project_id: number; n: number }>`
      select project_id, n from integrated_uncounted_batch order by n limit ${sliceBatches}`.execute(this.#read);
    if (batches.length === 0) return undefined;
    const keys = JSON.stringify(batches.map(({ project_id, n }) => [project_id, n]));
    const ofKeys = sql`(project_id, n) in (
      select (j ->> 0)::bigint, (j ->> 1)::bigint from jsonb_array_elements(${keys}::jsonb) as k (j))`;
    const { rows } = await sql<EventTable>`
      select e.* from (select project_id, unnest(event_row_ids) as id from integrated_uncounted_batch where ${ofKeys}) b
      join integrated_event e on e.project_id = b.project_id and e.id = b.id order by e.id`.execute(this.#read);
    return {
      rows,
      withUsers: true,
      add: (counts) =>
        this.#add(rows, counts, async (transaction) => {
          const { numAffectedRows } = await sql`delete from integrated_uncounted_batch where ${ofKeys}`.execute(
            transaction,
          );
          return numAffectedRows === BigInt(batches.length);
        }),
    };
  }

  async #ofEarlierRelease(): Promise<UncountedEvents | undefined> {
    const { rows: ranges } = await sql<UncountedRange>`select * from integrated_uncounted limit 1`.execute(this.#read);
    const [range] = ranges;
    if (!range) return undefined;
    const { project_id: projectId, first_n: firstN, last_n: lastN, after_id: afterId } = range;
    const { rows } = await sql<EventTable>`
      select * from integrated_event
      where project_id = ${projectId} and id > ${afterId} and id % ${sequenceBits} between ${firstN} and ${lastN}
      order by id limit ${sliceEvents}`.execute(this.#read);
    const last = rows.length === sliceEvents ? rows.at(-1) : undefined;
    const isOpen = sql`project_id = ${projectId} and first_n = ${firstN} and after_id = ${afterId}`;
    return {
      rows,
      withUsers: range.users,
      add: (counts) =>
        this.#add(rows, counts, async (transaction) => {
          const { numAffectedRows } = await (
            last
              ? sql`update integrated_uncounted set after_id = ${last.id} where ${isOpen}`
              : sql`delete from integrated_uncounted where ${isOpen}`
          ).execute(transaction);
          return numAffectedRows === 1n;
        }),
    };
  }

  /** Adds counts of events that all still exist, if `claim` finds that nobody else has counted them. */
  async #add(
    rows: readonly EventTable[],
    counts: Counts,
    claim: (transaction: Kysely<Tables>) => Promise<boolean>,
  ): Promise<boolean> {
    const projects = new Map(rows.map((row) => [String(row.error_id), row.project_id]));
    const entries = Array.from(counts.entries(), ([errorId, count]) => {
      const { key, value, eventCount, firstSeenAt, lastSeenAt, names } = count;
      return [projects.get(errorId), Number(errorId), key, value, eventCount, firstSeenAt, lastSeenAt, names];
    });
    return this.#write
      .transaction()
      .execute(async (transaction) => {
        await oneAtATime(transaction);
        const ids = JSON.stringify(rows.map(({ project_id, id }) => [project_id, id]));
        const { rows: found } = await sql<{ n: number }>`
          select count(*)::integer as n from jsonb_array_elements(${ids}::jsonb) as j (one)
          join integrated_event e on e.project_id = (one ->> 0)::bigint and e.id = (one ->> 1)::bigint`.execute(
          transaction,
        );
        if (found[0]?.n !== rows.length || !(await claim(transaction))) throw new Changed();
        await add(transaction, storableJson(entries));
        return true;
      })
      .catch((error: unknown) => {
        if (error instanceof Changed) return false;
        throw error;
      });
  }
}

interface UncountedRange {
  readonly project_id: number;
  readonly first_n: number;
  readonly last_n: number;
  readonly after_id: number;
  readonly users: boolean;
}

/** Events were deleted, or counted by another process, since they were read. */
class Changed extends Error {}

/** Makes counting and deleting wait for each other, because each depends on the work of the other. */
export async function oneAtATime(transaction: Kysely<Tables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('integrated_count'))`.execute(transaction);
}

/** Adds entries. Values with a row are counted separately. Keys beyond the limit have no value and are left out. */
async function add(transaction: Kysely<Tables>, entries: string): Promise<void> {
  const counted = sql`(
    select e.project_id, e.id as error_id, one ->> 2 as key, one ->> 3 as value, (one ->> 4)::bigint as event_count,
      (one ->> 5)::bigint as first_seen_at, (one ->> 6)::bigint as last_seen_at, one ->> 7 as names
    from jsonb_array_elements(${entries}::jsonb) as j (one)
    join integrated_error e on e.project_id = (one ->> 0)::bigint and e.id = (one ->> 1)::bigint)`;
  await sql`
    update integrated_user u set event_count = u.event_count + a.event_count,
      names = case when a.last_seen_at >= coalesce(u.last_seen_at, 0) then a.names else u.names end,
      first_seen_at = least(u.first_seen_at, a.first_seen_at), last_seen_at = greatest(u.last_seen_at, a.last_seen_at)
    from ${counted} a
    where a.key = ${sql.lit(userKey)} and u.project_id = a.project_id and u.error_id = a.error_id
      and u."user" = a.value collate "C"`.execute(transaction);
  await sql`
    insert into integrated_count as c (project_id, error_id, key, value, event_count, first_seen_at, last_seen_at)
    select project_id, error_id, key, value, sum(event_count), min(first_seen_at), max(last_seen_at)
    from (
      select a.project_id, a.error_id, a.key, a.event_count, a.first_seen_at, a.last_seen_at, case
        when a.key = 'level' then a.value
        when exists (select from integrated_tag t where t.project_id = a.project_id and t.error_id = a.error_id
          and t.key = a.key collate "C" and t.value = a.value collate "C") then a.value
        when exists (select from integrated_tag t where t.project_id = a.project_id and t.error_id = a.error_id
          and t.key = a.key collate "C") then ${sql.lit(otherValues)} end as value
      from ${counted} a where a.key <> ${sql.lit(userKey)}
    ) valued
    where value is not null
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (project_id, error_id, key, value) do update set
      event_count = c.event_count + excluded.event_count,
      first_seen_at = least(c.first_seen_at, excluded.first_seen_at),
      last_seen_at = greatest(c.last_seen_at, excluded.last_seen_at)`.execute(transaction);
  // The first release of an error is the release of the earliest event that names a release, if the earliest event of
  // all is counted: deleted events may have named an earlier release.
  await sql`
    with named as (
      select distinct (one ->> 0)::bigint as project_id, (one ->> 1)::bigint as error_id
      from jsonb_array_elements(${entries}::jsonb) as j (one)
    ), earliest as (
      select distinct on (c.project_id, c.error_id) c.*
      from named n join integrated_count c on c.project_id = n.project_id and c.error_id = n.error_id
      where c.key = 'release' and c.value <> ${sql.lit(otherValues)}
      order by c.project_id, c.error_id, c.first_seen_at, c.value
    )
    update integrated_error e set first_release = c.value from earliest c
    where e.project_id = c.project_id and e.id = c.error_id and e.first_release <> c.value
      and (e.first_release = '' or c.first_seen_at < (
        select known.first_seen_at from integrated_count known where known.project_id = e.project_id
          and known.error_id = e.id and known.key = 'release' and known.value = e.first_release collate "C"
      ) and exists (
        select from integrated_count level where level.project_id = e.project_id and level.error_id = e.id
          and level.key = 'level' and level.first_seen_at <= e.first_seen_at))`.execute(transaction);
}

/** The condition that an event `e` is not counted by its user or by its tags. */
const isUncounted = (what: "users" | "tags") => sql`(
  exists (select from integrated_uncounted u where u.project_id = e.project_id and e.id > u.after_id
    and e.id % ${sequenceBits} between u.first_n and u.last_n ${what === "users" ? sql`and u.users` : sql``})
  or exists (select from integrated_uncounted_batch b where b.project_id = e.project_id and e.id = any(b.event_row_ids)))`;

/**
 * Subtracts events of a project that are about to be deleted, within the transaction that deletes them. Nobody counts
 * events that are deleted before they are counted.
 */
export async function subtract(
  transaction: Kysely<Tables>,
  projectId: number,
  {
    rows,
    facts,
  }: { rows: readonly EventTable[]; facts: readonly (readonly [rowId: number, key: string, value: string])[] },
): Promise<void> {
  await oneAtATime(transaction);
  const ids = sql`any(${rows.map(({ id }) => id)}::bigint[])`;
  await sql`
    update integrated_user u set event_count = u.event_count - less.n
    from (
      select error_id, "user", count(*) as n from integrated_event e
      where project_id = ${projectId} and id = ${ids} and not ${isUncounted("users")} group by 1, 2
    ) less
    where u.project_id = ${projectId} and u.error_id = less.error_id and u."user" = less."user"`.execute(transaction);
  await sql`
    with gone as (
      select e.error_id, one ->> 1 as key, one ->> 2 as value
      from jsonb_array_elements(${storableJson(facts)}::jsonb) as j (one)
      join integrated_event e on e.project_id = ${projectId} and e.id = (one ->> 0)::bigint
      where not ${isUncounted("tags")}
    ), less as (
      select g.error_id, g.key, case when c.value is null then ${sql.lit(otherValues)} else g.value end as value,
        count(*) as n
      from gone g left join integrated_count c on c.project_id = ${projectId} and c.error_id = g.error_id
        and c.key = g.key collate "C" and c.value = g.value collate "C"
      group by 1, 2, 3
    )
    update integrated_count c set event_count = c.event_count - less.n from less
    where c.project_id = ${projectId} and c.error_id = less.error_id and c.key = less.key collate "C"
      and c.value = less.value collate "C"`.execute(transaction);
  await sql`delete from integrated_count where project_id = ${projectId} and event_count <= 0
      and error_id = any(${[...new Set(rows.map((row) => row.error_id))]}::bigint[])`.execute(transaction);
}
