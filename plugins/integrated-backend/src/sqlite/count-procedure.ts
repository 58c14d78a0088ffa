import { sql, type Kysely } from "kysely";
import { everyRowId } from "../storage.ts";
import { otherValues, userKey } from "../counts/counts.ts";
import type { Tables } from "../tables.ts";

// One statement for all counts of some seconds, for the same reason as a batch; see batch-procedure.ts.

/**
 * The counts to add. All lists are JSON. An entry ends with key, value, events, first and last time, and a user's
 * names.
 */
export interface CountParameters {
  /** Entries that begin with a project and the hash of an error. */
  readonly byHash: string;
  /** Entries that begin with the row id of an error. */
  readonly byId: string;
  /** The row ids of the events if they are read from the database: all must still exist. */
  readonly events: string;
  /** The range of the events, by its first row id, and the last row id that is counted. */
  readonly range: number;
  readonly until: number;
}

export async function createCountProcedure(database: Kysely<Tables>): Promise<void> {
  await sql`create temp view counted as
    select null as by_hash, null as by_id, null as events, null as range, null as until where false`.execute(database);
  await sql.raw(trigger).execute(database);
}

/** Adds counts and notes that the events are counted, atomically. Returns false if one of the events was deleted. */
export async function callCountProcedure(database: Kysely<Tables>, parameters: CountParameters): Promise<boolean> {
  const { byHash, byId, events, range, until } = parameters;
  try {
    await sql`insert into counted (by_hash, by_id, events, range, until)
      values (${byHash}, ${byId}, ${events}, ${range}, ${until})`.execute(database);
    return true;
  } catch (error) {
    if (String(error).includes(gone)) return false;
    throw error;
  }
}

const gone = "an event to count is gone";

/** Values with a row are counted separately. Keys beyond the limit have no value and are left out. */
const valueOf = (key: string, value: string) => `case
    when ${key} = 'level' then ${value}
    when ${key} = '${userKey}' then null
    when exists (select 1 from integrated_tag t where t.error_id = e.id and t.key = ${key} and t.value = ${value})
      then ${value}
    when exists (select 1 from integrated_tag t where t.error_id = e.id and t.key = ${key}) then '${otherValues}' end`;

/** `place` is the position of the key in an entry. The limit keeps SQLite from finding each value twice. */
const add = (list: string, place: number, ofError: string) => `
  insert into integrated_count (error_id, key, value, event_count, first_seen_at, last_seen_at)
  select * from (
    select e.id, j.value ->> ${place} as key, ${valueOf(`j.value ->> ${place}`, `j.value ->> ${place + 1}`)} as value,
      j.value ->> ${place + 2}, j.value ->> ${place + 3}, j.value ->> ${place + 4}
    from jsonb_each(new.${list}) j join integrated_error e on ${ofError} limit -1
  ) where value is not null
  on conflict (error_id, key, value) do update set
    event_count = event_count + excluded.event_count,
    first_seen_at = min(first_seen_at, excluded.first_seen_at),
    last_seen_at = max(last_seen_at, excluded.last_seen_at);`;

/**
 * The first release of an error is the release of the earliest event that names a release, if the earliest event of all
 * is counted: deleted events may have named an earlier release.
 */
const firstReleases = (list: string, place: number, ofError: string) => `
  update integrated_error set first_release = earliest.value
  from (
    select c.error_id, c.value, c.first_seen_at,
      row_number() over (partition by c.error_id order by c.first_seen_at, c.value) as n
    from jsonb_each(new.${list}) j join integrated_error e on ${ofError}
    join integrated_count c on c.error_id = e.id and c.key = 'release' and c.value = j.value ->> ${place + 1}
    where j.value ->> ${place} = 'release' and c.value <> '${otherValues}'
  ) earliest
  where n = 1 and id = earliest.error_id and first_release <> earliest.value and (
    first_release = '' or earliest.first_seen_at < (
      select c.first_seen_at from integrated_count c where c.error_id = id and c.key = 'release' and c.value = first_release
    ) and exists (
      select 1 from integrated_count c
      where c.error_id = id and c.key = 'level' and c.first_seen_at <= integrated_error.first_seen_at));`;

const [byHash, byId] = [
  ["by_hash", 2, "e.project_id = j.value ->> 0 and e.group_hash = unhex(j.value ->> 1)"],
  ["by_id", 1, "e.id = j.value ->> 0"],
] as const;

const trigger = `create temp trigger counted_added instead of insert on counted begin

  select raise(abort, '${gone}') where json_array_length(new.events) >
    (select count(*) from integrated_event where id in (select value from json_each(new.events)));

  ${add(...byHash)}
  ${add(...byId)}
  ${firstReleases(...byHash)}
  ${firstReleases(...byId)}

  update integrated_user set event_count = event_count + (j.value ->> 3),
    names = iif(j.value ->> 5 >= coalesce(last_seen_at, 0), j.value ->> 6, names),
    first_seen_at = min(coalesce(first_seen_at, j.value ->> 4), j.value ->> 4),
    last_seen_at = max(coalesce(last_seen_at, j.value ->> 5), j.value ->> 5)
  from jsonb_each(new.by_id) j
  where j.value ->> 1 = '${userKey}' and error_id = j.value ->> 0 and user = j.value ->> 2;

  delete from integrated_uncounted where from_id = new.range and to_id <= new.until and to_id < ${everyRowId};
  update integrated_uncounted set from_id = new.until + 1 where from_id = new.range and new.until >= new.range;

end`;
