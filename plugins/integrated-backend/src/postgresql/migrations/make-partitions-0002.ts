/**
 * Creates the missing partitions of a day. Each is created as a separate table and then attached, so that readers and
 * writers of the other days need not wait.
 */
export const makePartitions = `create or replace function integrated_make_partitions(day integer) returns void language plpgsql as $body$
declare
  parent text;
  partition text;
begin
  perform pg_advisory_xact_lock(4607182418800017408); -- of two processes the second finds them made
  foreach parent in array array['integrated_event', 'integrated_payload', 'integrated_origin'] loop
    partition := format('%s_%s', parent, day);
    continue when exists (select from pg_inherits where inhrelid = to_regclass(partition) and not inhdetachpending);
    if to_regclass(partition) is not null then
      raise exception 'The events that were received on day % are being deleted now.', day using errcode = 'object_in_use';
    end if;
    execute format('create table %I (like %I including storage)', partition, parent);
    if parent = 'integrated_event' then
      execute format('create unique index on %I (project_id, event_id)', partition);
    end if;
    execute format('alter table %I attach partition %I for values from (%s) to (%s)',
      parent, partition, day::bigint << 37, (day + 1)::bigint << 37);
  end loop;
end
$body$`;
