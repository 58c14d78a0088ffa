import { SessionStatus } from "@faultline/proto";
import { sql, type Kysely } from "kysely";
import type { SessionParameters } from "../sessions/store-sessions.ts";
import type { Tables } from "../tables.ts";

/** Makes the view and the trigger that store sessions, as batch-procedure.ts does for events. */
export async function createSessionProcedure(database: Kysely<Tables>): Promise<void> {
  await sql`create temp view session_batch as
    select null as releases, null as updates, null as aggregates where false`.execute(database);
  await sql.raw(trigger).execute(database);
}

/** Stores updates of sessions and counted sessions, all of them or nothing. */
export async function callSessionProcedure(database: Kysely<Tables>, parameters: SessionParameters): Promise<void> {
  const { releases, updates, aggregates } = parameters;
  await sql`insert into session_batch (releases, updates, aggregates)
    values (${releases}, ${updates}, ${aggregates})`.execute(database);
}

/** Whether an update is newer than what is stored, whatever came first: an end, else the sequence, else the time. */
const isNewer = `(excluded.status > ${SessionStatus.OK}, excluded.sequence, excluded.updated_at, excluded.status)
    > (status > ${SessionStatus.OK}, sequence, updated_at, status)`;

// `cross join` keeps the order of the batch: of two first updates of a session the first one names its release.
const trigger = `create temp trigger session_batch_stored instead of insert on session_batch begin

  insert into integrated_release (project_id, version, environment)
  select value ->> 0, value ->> 1, value ->> 2 from json_each(new.releases) where true
  on conflict (project_id, version, environment) do nothing;

  -- The counters follow by the triggers of the table.
  insert into integrated_session (
    project_id, session_id, release_id, hour, user, sequence, updated_at, status, error_count, received_at)
  select j.value ->> 0, unhex(j.value ->> 3), r.id, j.value ->> 4, j.value ->> 5, j.value ->> 6, j.value ->> 7,
    j.value ->> 8, j.value ->> 9, j.value ->> 10
  from json_each(new.updates) j cross join integrated_release r
  where r.project_id = j.value ->> 0 and r.version = j.value ->> 1 and r.environment = j.value ->> 2
  on conflict (project_id, session_id) do update set
    sequence = iif(${isNewer}, excluded.sequence, sequence),
    updated_at = iif(${isNewer}, excluded.updated_at, updated_at),
    status = iif(${isNewer}, excluded.status, status),
    error_count = max(error_count, excluded.error_count),
    user = iif(user = '', excluded.user, user)
  where ${isNewer} or excluded.error_count > error_count or (user = '' and excluded.user <> '');

  insert into integrated_session_hour (release_id, hour, total, errored, crashed, abnormal)
  select r.id, j.value ->> 4, j.value ->> 0, j.value ->> 6, j.value ->> 7, j.value ->> 8
  from json_each(new.aggregates) j cross join integrated_release r
  where r.project_id = j.value ->> 1 and r.version = j.value ->> 2 and r.environment = j.value ->> 3
  on conflict (release_id, hour) do update set total = total + excluded.total, errored = errored + excluded.errored,
    crashed = crashed + excluded.crashed, abnormal = abnormal + excluded.abnormal;

  insert into integrated_session_user (release_id, day, user, session_count, crashed_count)
  select r.id, (j.value ->> 4) / 24, j.value ->> 5, j.value ->> 0, j.value ->> 7
  from json_each(new.aggregates) j cross join integrated_release r
  where r.project_id = j.value ->> 1 and r.version = j.value ->> 2 and r.environment = j.value ->> 3
    and j.value ->> 5 <> ''
  on conflict (release_id, day, user) do update set
    session_count = session_count + excluded.session_count, crashed_count = crashed_count + excluded.crashed_count;

end`;
