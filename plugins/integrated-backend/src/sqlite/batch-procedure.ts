import { ErrorStatus } from "@faultline/proto";
import { sql, type Kysely } from "kysely";
import { everyRowId } from "../storage.ts";
import { readOf, type BatchParameters } from "../storing/batch-parameters.ts";
import { newestColumns, type Tables } from "../tables.ts";
import { groupingVersion } from "../grouping/group-events.ts";
import { implausibleMs } from "../storing/new-errors.ts";

// The SQL of the hot path. One INSERT into a view carries a whole batch, and the view's trigger writes it to the
// tables, because SQLite has no stored procedures. So a batch is one statement, which is a transaction itself, and one
// trip to the thread pool. With one trip per statement (eleven per batch) each waited for the event loop, which was
// busy with the next requests: 2,300 events/s of 5 kB instead of the rate in docs/performance.md, with both cores half
// idle.

/** Creates the view and its trigger on the writer's connection. They are deleted with the connection. */
export async function createBatchProcedure(database: Kysely<Tables>): Promise<void> {
  await sql`create temp view batch as
    select null as errors, null as events, null as payloads, null as places, null as hours, null as users, null as tags,
      null as usage, null as new_errors, null as now where false`.execute(database);
  await sql.raw(trigger).execute(database);
}

/** Stores a batch atomically. Returns false if one of its events is already stored. */
export async function callBatchProcedure(database: Kysely<Tables>, batch: BatchParameters): Promise<boolean> {
  const { errors, events, payloads, places, hours, users, tags, usage, newErrors, now } = batch;
  try {
    await sql`insert into batch (errors, events, payloads, places, hours, users, tags, usage, new_errors, now)
    values (${errors}, ${events}, ${payloads}, ${places}, ${hours}, ${users}, ${tags}, ${usage}, ${newErrors}, ${now})`.execute(
      database,
    );
    return true;
  } catch (error) {
    if (String(error).includes(repeated)) return false;
    throw error;
  }
}

const repeated = "UNIQUE constraint failed: integrated_event.project_id, integrated_event.event_id";

const { UNRESOLVED, RESOLVED } = ErrorStatus;

const [error, event, place] = [readOf("errors"), readOf("events"), readOf("places")];
const [hour, user, tag] = [readOf("hours"), readOf("users"), readOf("tags")];
const [usage, newError] = [readOf("usage"), readOf("newErrors")];

/** The lists with entries that begin with the project and hash of their error. */
const ofGroup = `join integrated_error e on e.project_id = ${event.project_id} and e.group_hash = ${event.group_hash}`;

// jsonb_each parses a list once. json_each returns each row as text that is parsed again, which took 12 % of the time.
const trigger = `create temp trigger batch_stored instead of insert on batch begin

  -- A resolved error comes back with any new event; an ignored one stays ignored.
  insert into integrated_error (
    ${Object.keys(error).join(", ")},
    grouping_version, status, user_count)
  select ${Object.values(error).join(", ")},
    ${groupingVersion}, ${UNRESOLVED}, 0
  from jsonb_each(new.errors) j where true
  on conflict (project_id, group_hash) do update set
    ${newestColumns.map((column) => `${column} = iif(excluded.last_seen_at >= last_seen_at, excluded.${column}, ${column})`).join(",\n    ")},
    last_release = iif(last_release = '' or (excluded.last_seen_at >= last_seen_at and excluded.last_release <> ''),
      excluded.last_release, last_release),
    first_release = iif(first_release = '' or (excluded.first_seen_at < first_seen_at and excluded.first_release <> ''),
      excluded.first_release, first_release),
    event_count = event_count + excluded.event_count,
    first_seen_at = min(first_seen_at, excluded.first_seen_at),
    last_seen_at = max(last_seen_at, excluded.last_seen_at),
    reopened_at = iif(status = ${RESOLVED}, new.now, reopened_at),
    status = iif(status = ${RESOLVED}, ${UNRESOLVED}, status);

  insert into integrated_event (
    id, project_id, event_id, error_id, occurred_at, received_at, title, user, release, environment, level)
  select ${event.id}, ${event.project_id}, ${event.event_id}, e.id, ${event.occurred_at}, ${event.received_at},
    ${event.title}, ${event.user}, ${event.release}, ${event.environment}, ${event.level}
  from jsonb_each(new.events) j ${ofGroup};

  insert into integrated_origin (event_row_id, key_id)
  select ${event.id}, ${event.key_id} from jsonb_each(new.events) j where ${event.key_id} > 0;

  insert into integrated_payload (event_row_id, encoding, start, length, content)
  select ${place.event_row_id}, ${place.encoding}, ${place.start}, ${place.length},
    -- The driver binds a batch without a byte as null.
    coalesce(substr(new.payloads, ${place.offset}, ${place.size}), x'')
  from jsonb_each(new.places) j;

  -- Before the tags, whose trigger adds to what is there.
  insert into integrated_usage (project_id, event_count, payload_bytes, tag_bytes)
  select ${usage.project_id}, ${usage.event_count}, ${usage.payload_bytes}, 0 from jsonb_each(new.usage) j where true
  on conflict (project_id) do update set event_count = event_count + excluded.event_count,
    payload_bytes = payload_bytes + excluded.payload_bytes;

  insert into integrated_hour (error_id, hour, event_count)
  select e.id, ${hour.hour}, ${hour.event_count} from jsonb_each(new.hours) j ${ofGroup} where true
  on conflict (error_id, hour) do update set event_count = event_count + excluded.event_count;

  insert into integrated_user (error_id, user, last_seen_day, event_count, first_seen_at, last_seen_at, names)
  select e.id, ${user.user}, ${user.last_seen_day}, ${user.event_count}, ${user.first_seen_at}, ${user.last_seen_at},
    ${user.names}
  from jsonb_each(new.users) j ${ofGroup} where true
  on conflict (error_id, user) do update set
    last_seen_day = max(last_seen_day, excluded.last_seen_day),
    event_count = event_count + excluded.event_count,
    names = iif(excluded.last_seen_at >= coalesce(last_seen_at, 0), excluded.names, names),
    first_seen_at = min(coalesce(first_seen_at, excluded.first_seen_at), excluded.first_seen_at),
    last_seen_at = max(coalesce(last_seen_at, excluded.last_seen_at), excluded.last_seen_at);

  update integrated_uncounted set users_until = (select max(id) from integrated_event)
  where to_id = ${everyRowId};

  insert into integrated_tag (error_id, key, value, last_seen_day)
  select e.id, ${tag.key}, ${tag.value}, ${tag.last_seen_day} from jsonb_each(new.tags) j ${ofGroup} where true
  on conflict (error_id, key, value) do update set last_seen_day = excluded.last_seen_day
  where excluded.last_seen_day > last_seen_day;

  insert into integrated_new_error (project_id, day, error_count, used_until)
  select ${newError.project_id}, ${newError.day}, ${newError.error_count}, ${newError.used_until}
  from jsonb_each(new.new_errors) j where true
  on conflict (project_id) do update set
    error_count = iif(day = excluded.day, error_count, 0) + excluded.error_count,
    day = excluded.day,
    used_until = excluded.used_until
      + iif(used_until - new.now between 0 and ${implausibleMs}, used_until - new.now, 0);

end`;
