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
  "events without an error of their project": `
    select e.id from integrated_event e left join integrated_error r on r.id = e.error_id
    where r.project_id is not e.project_id`,
  "events without a payload, payloads without an event": `
    select e.id, p.event_row_id from integrated_event e full join integrated_payload p on p.event_row_id = e.id
    where e.id is null or p.event_row_id is null`,
  "tags without an error": `
    select * from integrated_tag where error_id not in (select id from integrated_error)`,
};

/** Counts everything the integrated backend counts anew, from the events alone; says what differs. */
export function recount(database: DatabaseSync): string[] {
  return Object.entries(differences).flatMap(([what, sql]) =>
    database
      .prepare(sql)
      .all()
      .map((row) => `${what}: ${JSON.stringify(row)}`),
  );
}
