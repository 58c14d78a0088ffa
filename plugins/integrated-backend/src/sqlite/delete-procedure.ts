import { sql, type Kysely } from "kysely";
import type { Tables } from "../tables.ts";
import { otherValues } from "../counts/counts.ts";
import { isCounted, isUserCounted } from "./counts.ts";

// Deletion takes one statement per batch for the same reason as storing: eleven statements held the writer through
// eleven rounds of a busy event loop, and new events waited.

/** The events to delete, and their subtractions from the counters. All are JSON lists. */
export interface DeleteParameters {
  /** Row ids of events. */
  readonly events: string;
  /** An entry per hour of an error: error, hour, count. Empty if the counters are deleted completely. */
  readonly hours: string;
  /** An entry per error: its id, count. */
  readonly errors: string;
  /** The counted values of the events: row id, key, value. Empty if the counters are deleted completely. */
  readonly facts: string;
  /** Errors with tags to sweep. */
  readonly tagged: string;
  /** Users and tags last seen before this day are deleted. */
  readonly day: number;
}

/** Creates the view and its trigger on the writer's connection, like createBatchProcedure. */
export async function createDeleteProcedure(database: Kysely<Tables>): Promise<void> {
  await sql`create temp view expired as
    select null as events, null as hours, null as errors, null as facts, null as tagged, null as day where false`.execute(
    database,
  );
  await sql.raw(trigger).execute(database);
}

/**
 * Deletes events with their rows and subtracts them from every counter, atomically. Returns false if one of them was
 * deleted since it was read, and is therefore already subtracted.
 */
export async function callDeleteProcedure(database: Kysely<Tables>, parameters: DeleteParameters): Promise<boolean> {
  const { events, hours, errors, facts, tagged, day } = parameters;
  try {
    await sql`insert into expired (events, hours, errors, facts, tagged, day)
      values (${events}, ${hours}, ${errors}, ${facts}, ${tagged}, ${day})`.execute(database);
    return true;
  } catch (error) {
    if (String(error).includes(gone)) return false;
    throw error;
  }
}

const gone = "an event to delete is gone";

const events = "select value from json_each(new.events)";

const emptyErrors = `select id from integrated_error where event_count <= 0
    and id in (select value ->> 0 from json_each(new.errors))`;

const trigger = `create temp trigger expired_deleted instead of insert on expired begin

  select raise(abort, '${gone}') where json_array_length(new.events) >
    (select count(*) from integrated_event where id in (${events}));

  -- Blocks of which nothing is left.
  delete from integrated_block
  where last_row_id in (select block_row_id from integrated_packed where event_row_id in (${events}))
    and not exists (
      select 1 from integrated_packed
      where event_row_id between first_row_id and last_row_id and block_row_id = last_row_id
        and event_row_id not in (${events}));

  delete from integrated_packed where event_row_id in (${events});
  delete from integrated_payload where event_row_id in (${events});

  -- Feedback has a time of its own; it goes with its error, however, when that is erased.
  update integrated_feedback set error_id = e.error_id from integrated_event e
  where e.id in (${events}) and e.project_id = integrated_feedback.project_id
    and e.event_id = integrated_feedback.event_id;

  update integrated_user set event_count = event_count - e.n
  from (
    select error_id, user, count(*) as n from integrated_event
    where new.errors <> '[]' and id in (${events}) and ${isUserCounted("id")} group by 1, 2
  ) e
  where integrated_user.error_id = e.error_id and integrated_user.user = e.user;

  -- Only the users of these events: an error may have many more.
  delete from integrated_user where last_seen_day < new.day
    and (error_id, user) in (select error_id, user from integrated_event where id in (${events}));

  update integrated_count set event_count = event_count - f.n
  from (
    select error_id, key, value, count(*) as n from (
      select e.error_id, j.value ->> 1 as key, iif(exists (
        select 1 from integrated_count c where c.error_id = e.error_id and c.key = j.value ->> 1 and c.value = j.value ->> 2
      ), j.value ->> 2, '${otherValues}') as value
      from json_each(new.facts) j join integrated_event e on e.id = j.value ->> 0
      where ${isCounted("e.id")}
    ) group by 1, 2, 3
  ) f
  where integrated_count.error_id = f.error_id and integrated_count.key = f.key and integrated_count.value = f.value;

  delete from integrated_event where id in (${events});

  update integrated_hour set event_count = event_count - (j.value ->> 2)
  from json_each(new.hours) j where error_id = j.value ->> 0 and hour = j.value ->> 1;
  delete from integrated_hour where event_count <= 0
    and (error_id, hour) in (select value ->> 0, value ->> 1 from json_each(new.hours));

  delete from integrated_tag where last_seen_day < new.day
    and error_id in (select value from json_each(new.tagged));

  update integrated_error set event_count = event_count - (j.value ->> 1)
  from json_each(new.errors) j where integrated_error.id = j.value ->> 0;
  -- With retention none is left of these; events that go earlier may leave rows of the day of an error's last event.
  delete from integrated_user where error_id in (${emptyErrors});
  delete from integrated_tag where error_id in (${emptyErrors});
  delete from integrated_error where id in (${emptyErrors});

end`;
