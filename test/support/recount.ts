import type { DatabaseSync } from "node:sqlite";

/** What must give no row: counters that differ from their events, and rows that belong to nothing. */
const differences: Readonly<Record<string, string>> = {
  "events of an error": `
    select id, event_count, (select count(*) from integrated_event where error_id = e.id) as n
    from integrated_error e where event_count <> n or n = 0`,
  "users of an error": `
    select id, user_count, (select count(distinct user) from integrated_event where error_id = e.id and user <> '') as n
    from integrated_error e where user_count <> n`,
  "bars of an error": `
    select error_id, hour, event_count, n
    from integrated_hour full join (
      select error_id, occurred_at / 3600000 as hour, count(*) as n from integrated_event group by 1, 2
    ) using (error_id, hour)
    where event_count is not n`,
  // Retention deletes events and leaves the times of their error, so that these may reach further.
  "first and last seen": `
    select e.id, first_seen_at, last_seen_at, first, last from integrated_error e join (
      select error_id, min(occurred_at) as first, max(occurred_at) as last from integrated_event group by 1
    ) on error_id = e.id
    where first_seen_at > first or last_seen_at < last`,
  "last day of a user": `
    select error_id, user, last_seen_day, day from integrated_user join (
      select error_id, user, max(received_at) / 86400000 as day from integrated_event group by 1, 2
    ) using (error_id, user)
    where last_seen_day <> day`,
  "known users": `
    select error_id, user, k.error_id is null
    from integrated_user k full join (select distinct error_id, user from integrated_event where user <> '') e
    using (error_id, user)
    where k.error_id is null or e.error_id is null`,
  "known releases": `
    select error_id, value
    from (select error_id, value from integrated_tag where key = 'release') k
    full join (select distinct error_id, release as value from integrated_event where release <> '') e
    using (error_id, value)
    where k.error_id is null or e.error_id is null`,
  "known environments": `
    select error_id, value
    from (select error_id, value from integrated_tag where key = 'environment') k
    full join (select distinct error_id, environment as value from integrated_event where environment <> '') e
    using (error_id, value)
    where k.error_id is null or e.error_id is null`,
  "events without an error of their project": `
    select e.id from integrated_event e left join integrated_error r on r.id = e.error_id
    where r.project_id is not e.project_id`,
  "events without a payload, payloads without an event": `
    select e.id, p.event_row_id from integrated_event e full join (
      select event_row_id from integrated_payload union all select event_row_id from integrated_packed
    ) p on p.event_row_id = e.id
    where e.id is null or p.event_row_id is null`,
  "hours, users and tags without an error": `
    select error_id from (
      select error_id from integrated_hour union select error_id from integrated_user union select error_id from integrated_tag
    ) where error_id not in (select id from integrated_error)`,
  "first and last hour of a release": `
    select id, first_hour, last_hour, first, last from integrated_release r left join (
      select release_id, min(hour) as first, max(hour) as last from integrated_session_hour group by 1
    ) on release_id = r.id
    where first_hour is not first or last_hour is not last`,
  "sessions and counters without a release": `
    select release_id from (
      select release_id from integrated_session
      union select release_id from integrated_session_hour
      union select release_id from integrated_session_user
    ) where release_id not in (select id from integrated_release)`,
};

/** The same for counters of sessions. */
const sessionDifferences: Readonly<Record<string, string>> = {
  "sessions of an hour": `
    select release_id, hour, total, errored, crashed, abnormal, n, e, c, a
    from integrated_session_hour full join (
      select release_id, hour, count(*) as n, sum(status = 6) as c, sum(status = 5) as a,
        sum(case when status in (5, 6) then 0 when status in (3, 4) or error_count > 0 then 1 else 0 end) as e
      from integrated_session group by 1, 2
    ) using (release_id, hour)
    where (total, errored, crashed, abnormal) is not (n, e, c, a)`,
  "users of a day": `
    select release_id, day, user, session_count, crashed_count, n, c
    from integrated_session_user full join (
      select release_id, hour / 24 as day, user, count(*) as n, sum(status = 6) as c
      from integrated_session where user <> '' group by 1, 2, 3
    ) using (release_id, day, user)
    where (session_count, crashed_count) is not (n, c)`,
};

/** Counts everything the integrated backend counts anew, from the events alone; says what differs. */
export function recount(database: DatabaseSync): string[] {
  return found(database, differences);
}

/** Counts sessions anew, while none was counted by its SDK and none is so old that only its counters are left. */
export function recountSessions(database: DatabaseSync): string[] {
  return found(database, sessionDifferences);
}

function found(database: DatabaseSync, queries: Readonly<Record<string, string>>): string[] {
  return Object.entries(queries).flatMap(([what, sql]) =>
    database
      .prepare(sql)
      .all()
      .map((row) => `${what}: ${JSON.stringify(row)}`),
  );
}
