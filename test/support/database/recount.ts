import type { DatabaseSync } from "node:sqlite";
import { maxUsers } from "../../../plugins/integrated-backend/src/limits.ts";
import type { PostgresqlClient } from "./postgresql.ts";

/** Whether the error in `e` counts all its users or tags, because they are within the limits. */
const isWithin = (what: "user" | "tag") =>
  `e.error_id not in (select error_id from integrated_cardinality where other_${what}_count > 0)`;

/**
 * Queries that must return no row on either database: counters that differ from their events, and rows without an
 * owner.
 */
const differences: Readonly<Record<string, string>> = {
  "events of an error": `
    select id, event_count, n
    from integrated_error left join (select error_id, count(*) as n from integrated_event group by 1) on error_id = id
    where event_count is distinct from n`,
  "users of an error": `
    select id, user_count, n
    from integrated_error left join (
      select error_id, count(distinct "user") as n from integrated_event where "user" <> '' group by 1
    ) on error_id = id
    where user_count <> case when n > ${maxUsers} then ${maxUsers} else coalesce(n, 0) end`,
  "bars of an error": `
    select error_id, hour, event_count, n
    from integrated_hour full join (
      select error_id, occurred_at / 3600000 as hour, count(*) as n from integrated_event group by 1, 2
    ) using (error_id, hour)
    where event_count is distinct from n`,
  // Retention deletes events but keeps the times of their error, so these times may reach further.
  "first and last seen": `
    select e.id, first_seen_at, last_seen_at, first, last from integrated_error e join (
      select error_id, min(occurred_at) as first, max(occurred_at) as last from integrated_event group by 1
    ) on error_id = e.id
    where first_seen_at > first or last_seen_at < last`,
  "last day of a user": `
    select error_id, "user", last_seen_day, day from integrated_user join (
      select error_id, "user", max(received_at) / 86400000 as day from integrated_event group by 1, 2
    ) using (error_id, "user")
    where last_seen_day <> day`,
  "known users": `
    select error_id, "user", k.error_id is null
    from integrated_user k full join (select distinct error_id, "user" from integrated_event where "user" <> '') e
    using (error_id, "user")
    where (k.error_id is null and ${isWithin("user")}) or e.error_id is null`,
  "known releases": `
    select error_id, value
    from (select error_id, value from integrated_tag where key = 'release') k
    full join (select distinct error_id, release as value from integrated_event where release <> '') e
    using (error_id, value)
    where (k.error_id is null and ${isWithin("tag")}) or e.error_id is null`,
  "known environments": `
    select error_id, value
    from (select error_id, value from integrated_tag where key = 'environment') k
    full join (select distinct error_id, environment as value from integrated_event where environment <> '') e
    using (error_id, value)
    where (k.error_id is null and ${isWithin("tag")}) or e.error_id is null`,
  "events without an error of their project": `
    select e.id from integrated_event e left join integrated_error r on r.id = e.error_id
    where r.project_id is distinct from e.project_id`,
  "hours, users and tags without an error": `
    select error_id from (
      select error_id from integrated_hour union select error_id from integrated_user union select error_id from integrated_tag
    ) as part where error_id not in (select id from integrated_error)`,
  "events of a project": `
    select coalesce(u.project_id, e.project_id) as project_id, event_count, n from integrated_usage u full join (
      select project_id, count(*) as n from integrated_event group by 1
    ) e on e.project_id = u.project_id
    where u.project_id is null or event_count <> coalesce(n, 0)`,
  "bytes of tags of a project": `
    select u.project_id, tag_bytes, n from integrated_usage u left join (
      select e.project_id, sum(octet_length(t.key) + octet_length(t.value) + 64) as n
      from integrated_tag t join integrated_error e on e.id = t.error_id group by 1
    ) t on t.project_id = u.project_id
    where tag_bytes <> coalesce(n, 0)`,
  "origins without an event": `
    select event_row_id from integrated_origin where event_row_id not in (select id from integrated_event)`,
  // A tag key of an error that an earlier release stored gets its row with its next value.
  "values of a tag key": `
    select error_id, key, value_count, n from integrated_tag_key left join (
      select error_id, key, count(*) as n from integrated_tag group by 1, 2
    ) t using (error_id, key)
    where value_count <> coalesce(n, 0)`,
  "tag keys of an error": `
    select error_id, key_count, n from integrated_cardinality left join (
      select error_id, count(*) as n from integrated_tag_key group by 1
    ) k using (error_id)
    where key_count <> coalesce(n, 0)`,
  "tags as searches ask for them": `
    select project_id, error_id, key, value from (
      select e.project_id, t.error_id, t.key, t.value, 1 as stored
      from integrated_tag t join integrated_error e on e.id = t.error_id
    ) t full join (select *, 1 as found from integrated_tag_error) f using (project_id, error_id, key, value)
    where found is null and project_id not in (select project_id from integrated_search_fill) or stored is null`,
  "first and last hour of a release": `
    select id, first_hour, last_hour, first, last from integrated_release r left join (
      select release_id, min(hour) as first, max(hour) as last from integrated_session_hour group by 1
    ) on release_id = r.id
    where first_hour is distinct from first or last_hour is distinct from last`,
  "users of a day that are counted apart": `
    select day, release_id, user_count, n from integrated_session_day left join (
      select release_id, day, count(*) as n from integrated_session_user where "user" <> '' group by 1, 2
    ) as u using (release_id, day)
    where release_id <> 0 and user_count <> coalesce(n, 0)`,
  "users of a day and project that are counted apart": `
    select project_id, day, user_count, n from integrated_session_day left join (
      select project_id, day, count(*) as n from (
        select r.project_id, u.day from integrated_session_user u join integrated_release r on r.id = u.release_id
        where "user" <> ''
      ) as named group by 1, 2
    ) as u using (project_id, day)
    where release_id = 0 and user_count <> coalesce(n, 0)`,
  "sessions and counters without a release": `
    select release_id from (
      select release_id from integrated_session
      union select release_id from integrated_session_hour
      union select release_id from integrated_session_user
    ) as part where release_id not in (select id from integrated_release)`,
};

const payloadBytes = "bytes of payloads of a project";
const payloads = "events without a payload, payloads without an event";

const unsearched = "errors that searches miss, and gone ones that they look at";

/** A query for indexed ids without an error, and errors that the index should contain but does not. */
function unsearchedAmong(ids: string, errors = "integrated_error"): string {
  return `
    select id, error_id from ${errors} full join (${ids}) s on error_id = id
    where (id is null or error_id is null) and coalesce(id, error_id) not in (select error_id from integrated_search_due)
      and (id is null or project_id not in (select project_id from integrated_search_fill))`;
}

/** Counts by user, release and level, of the events that meet a condition. */
function counts({ isCounted, isUserCounted }: Record<"isCounted" | "isUserCounted", string>) {
  const differing = (counted: string, events: string, isWhole: string) => `
    select error_id, value, event_count, n from (${counted}) c
    full join (${events} group by 1, 2) e using (error_id, value)
    where event_count is distinct from n and ${isWhole}`;
  const ofKey = (key: string) =>
    `select error_id, value, event_count from integrated_count where key = '${key}' and value <> ''`;
  const eventsOf = (column: string, condition: string) => `select error_id, ${column} as value, count(*) as n
    from integrated_event where ${column} <> '' and ${condition}`;
  const whole = (what: "user" | "tag") => isWithin(what).replace("e.error_id", "error_id");
  return {
    "events of a user of an error": differing(
      `select error_id, "user" as value, nullif(event_count, 0) as event_count from integrated_user`,
      eventsOf(`"user"`, isUserCounted),
      whole("user"),
    ),
    "events of a release of an error": differing(ofKey("release"), eventsOf("release", isCounted), whole("tag")),
    "events of a level of an error": differing(ofKey("level"), eventsOf("level", isCounted), "true"),
    "tags that are counted for more events than their error has": `
      select error_id, key, n, e.event_count from (
        select error_id, key, sum(event_count) as n from integrated_count group by 1, 2
      ) c left join integrated_error e on id = error_id
      where e.event_count is null or n > e.event_count`,
  };
}

/** Queries for SQLite only, which packs payloads. */
const sqliteDifferences: Readonly<Record<string, string>> = {
  ...counts({
    isCounted: "not exists (select 1 from integrated_uncounted where id between from_id and to_id)",
    isUserCounted:
      "not exists (select 1 from integrated_uncounted where id between from_id and to_id and id > users_until)",
  }),
  "releases of an environment": `
    select project_id, environment, release_count, n from integrated_environment left join (
      select project_id, environment, count(*) as n from integrated_release where version <> '' group by 1, 2
    ) using (project_id, environment)
    where release_count is not n`,
  [payloads]: `
    select e.id, p.event_row_id from integrated_event e full join (
      select event_row_id from integrated_payload union all select event_row_id from integrated_packed
    ) p on p.event_row_id = e.id
    where e.id is null or p.event_row_id is null`,
  [payloadBytes]: `
    select u.project_id, payload_bytes, n from integrated_usage u left join (
      select project_id, sum(bytes) as n from (
        select event_row_id, length(content) as bytes from integrated_payload
        union all
        select min(event_row_id), length(content) from integrated_block join integrated_packed on block_row_id = last_row_id
        group by last_row_id
      ) p join integrated_event on id = event_row_id group by 1
    ) p on p.project_id = u.project_id
    where payload_bytes <> coalesce(n, 0)`,
  [unsearched]: unsearchedAmong("select rowid & ((1 << 36) - 1) as error_id from integrated_search"),
};

/**
 * A condition for counted events: they are not in a batch that is still to be counted, nor in such a range that meets
 * `condition`.
 */
function isCountedThere(condition: string): string {
  return `not exists (select from integrated_uncounted_batch b
      where b.project_id = integrated_event.project_id and id = any(event_row_ids))
    and not exists (select from integrated_uncounted u where u.project_id = integrated_event.project_id
      and id > after_id and id % 137438953472 between first_n and last_n and ${condition})`;
}

/** Queries for PostgreSQL only, where keys begin with the project and the row id contains the day of receipt. */
const postgresqlDifferences: Readonly<Record<string, string>> = {
  ...counts({ isCounted: isCountedThere("true"), isUserCounted: isCountedThere("u.users") }),
  [payloads]: `
    select e.id, p.event_row_id from integrated_event e
    full join integrated_payload p on p.project_id = e.project_id and p.event_row_id = e.id
    where e.id is null or p.event_row_id is null`,
  [payloadBytes]: `
    select u.project_id, payload_bytes, n from integrated_usage u left join (
      select project_id, sum(length(content)) as n from integrated_payload group by 1
    ) p on p.project_id = u.project_id
    where payload_bytes <> coalesce(n, 0)`,
  [unsearched]: unsearchedAmong(
    "select error_id from integrated_search",
    "(select * from integrated_error where status > 0) e", // hidden errors are left out
  ),
  "parts of an error in another project": `
    select e.id from integrated_error e join (
      select error_id, project_id from integrated_hour union select error_id, project_id from integrated_user
      union select error_id, project_id from integrated_tag
    ) p on p.error_id = e.id where p.project_id <> e.project_id`,
  "parts of a release in another project": `
    select r.id from integrated_release r join (
      select release_id, project_id from integrated_session union select release_id, project_id from integrated_session_hour
      union select release_id, project_id from integrated_session_user
    ) p on p.release_id = r.id where p.project_id <> r.project_id`,
  "events on another day": `select id, received_at from integrated_event where id >> 37 <> received_at / 86400000`,
  "events that are there twice": `
    select project_id, encode(event_id, 'hex'), count(*) from integrated_event group by 1, 2 having count(*) > 1`,
  "expired events that are counted": `select * from integrated_expired`,
};

/** The queries for counters of sessions. */
const sessionDifferences: Readonly<Record<string, string>> = {
  "sessions of an hour": `
    select release_id, hour, total, errored, crashed, abnormal, n, e, c, a
    from integrated_session_hour full join (
      select release_id, hour, count(*) as n, sum(case when status = 6 then 1 else 0 end) as c,
        sum(case when status = 5 then 1 else 0 end) as a,
        sum(case when status in (5, 6) then 0 when status in (3, 4) or error_count > 0 then 1 else 0 end) as e
      from integrated_session group by 1, 2
    ) using (release_id, hour)
    where total is distinct from n or errored is distinct from e or crashed is distinct from c
      or abnormal is distinct from a`,
  "users of a day": `
    select release_id, day, "user", session_count, crashed_count, n, c
    from integrated_session_user full join (
      select release_id, hour / 24 as day, "user", count(*) as n, sum(case when status = 6 then 1 else 0 end) as c
      from integrated_session where "user" <> '' group by 1, 2, 3
    ) using (release_id, day, "user")
    where session_count is distinct from n or crashed_count is distinct from c`,
};

/** Counts everything that the integrated backend counts again from the events alone, and returns the differences. */
export function recount(database: DatabaseSync): string[] {
  return found(database, { ...differences, ...sqliteDifferences });
}

/** The same for PostgreSQL. */
export async function recountPostgresql(client: PostgresqlClient): Promise<string[]> {
  return foundPostgresql(client, { ...differences, ...postgresqlDifferences });
}

/**
 * Counts sessions again. It needs every session as a row: none that an SDK counted, and none so old that only its
 * counters are left.
 */
export function recountSessions(database: DatabaseSync): string[] {
  return found(database, sessionDifferences);
}

/** The same for PostgreSQL. */
export async function recountSessionsPostgresql(client: PostgresqlClient): Promise<string[]> {
  return foundPostgresql(client, sessionDifferences);
}

function found(database: DatabaseSync, queries: Readonly<Record<string, string>>): string[] {
  return Object.entries(queries).flatMap(([what, sql]) => linesOf(what, database.prepare(sql).all()));
}

async function foundPostgresql(client: PostgresqlClient, queries: Readonly<Record<string, string>>): Promise<string[]> {
  const all: string[] = [];
  for (const [what, sql] of Object.entries(queries)) all.push(...linesOf(what, (await client.query(sql)).rows));
  return all;
}

function linesOf(what: string, rows: readonly unknown[]): string[] {
  return rows.map((row) => `${what}: ${JSON.stringify(row)}`);
}
