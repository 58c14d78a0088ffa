/**
 * Stores a batch atomically; for its lists, see BatchParameters. Returns 'stored', 'repeated' if an event is already
 * stored, or 'no partition' if a day of the batch has no partitions yet.
 *
 * Several processes store simultaneously. Each first locks the errors of its batch in the order of their key, and all
 * other rows of an error are written under its lock, so that processes never wait for each other in a circle. A
 * repeated event also meets the lock of its error, and the check of other days then finds it.
 *
 * Nested loops only: the lists are short and the tables large, whatever the statistics of a new day say.
 */
export const storeBatch = `create function integrated_store_batch(
  grouping_version integer, errors jsonb, events jsonb, payloads bytea, places jsonb, hours jsonb, users jsonb, tags jsonb,
  received_at bigint
) returns text language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
#variable_conflict use_column
declare
  first_id bigint;
  last_id bigint;
  failed_table text;
begin
  -- A resolved error (2) comes back with any new event as unresolved (1); an ignored one stays ignored.
  insert into integrated_error as e (
    project_id, group_hash, grouping_version, title, type, value, culprit, level, platform, status,
    event_count, user_count, first_seen_at, last_seen_at, first_release, last_release)
  select
    (j.one ->> 0)::bigint, decode(j.one ->> 1, 'hex'), $1, j.one ->> 2, j.one ->> 3, j.one ->> 4, j.one ->> 5, j.one ->> 6,
    j.one ->> 7, 1, (j.one ->> 8)::bigint, 0, (j.one ->> 9)::bigint, (j.one ->> 10)::bigint, j.one ->> 11, j.one ->> 12
  from jsonb_array_elements(errors) as j (one)
  order by 1, 2
  on conflict (project_id, group_hash) do update set
    title = case when excluded.last_seen_at >= e.last_seen_at then excluded.title else e.title end,
    type = case when excluded.last_seen_at >= e.last_seen_at then excluded.type else e.type end,
    value = case when excluded.last_seen_at >= e.last_seen_at then excluded.value else e.value end,
    culprit = case when excluded.last_seen_at >= e.last_seen_at then excluded.culprit else e.culprit end,
    level = case when excluded.last_seen_at >= e.last_seen_at then excluded.level else e.level end,
    last_release = case
      when e.last_release = '' or (excluded.last_seen_at >= e.last_seen_at and excluded.last_release <> '')
      then excluded.last_release else e.last_release end,
    first_release = case
      when e.first_release = '' or (excluded.first_seen_at < e.first_seen_at and excluded.first_release <> '')
      then excluded.first_release else e.first_release end,
    event_count = e.event_count + excluded.event_count,
    first_seen_at = least(e.first_seen_at, excluded.first_seen_at),
    last_seen_at = greatest(e.last_seen_at, excluded.last_seen_at),
    reopened_at = case when e.status = 2 then $9 else e.reopened_at end,
    status = case when e.status = 2 then 1 else e.status end;

  -- The unique index of a partition does not see the other days: seven on either side are looked through.
  select (min((j.one ->> 5)::bigint) / 86400000 - 7) << 37, (max((j.one ->> 5)::bigint) / 86400000 + 8) << 37
  into first_id, last_id from jsonb_array_elements(events) as j (one);
  if exists (
    select from jsonb_array_elements(events) as j (one)
    join integrated_event e on e.project_id = (j.one ->> 0)::bigint and e.event_id = decode(j.one ->> 3, 'hex')
    where e.id >= first_id and e.id < last_id
  ) then
    raise unique_violation using table = 'integrated_event';
  end if;

  with arrived as materialized (
    select one, place, ((one ->> 5)::bigint / 86400000 << 37) + nextval('integrated_event_n') as id
    from rows from (jsonb_array_elements(events), jsonb_array_elements(places)) as j (one, place)
  ), stored as (
    insert into integrated_event (
      project_id, id, event_id, error_id, occurred_at, received_at, title, "user", release, environment, level)
    select e.project_id, a.id, decode(one ->> 3, 'hex'), e.id, (one ->> 4)::bigint, (one ->> 5)::bigint,
      one ->> 6, one ->> 7, one ->> 8, one ->> 9, one ->> 10
    from arrived a
    join integrated_error e on e.project_id = (one ->> 0)::bigint and e.group_hash = decode(one ->> 1, 'hex')
    order by 1, 3
  )
  insert into integrated_payload (project_id, event_row_id, encoding, start, length, content)
  select (one ->> 0)::bigint, id, (place ->> 3)::integer, (place ->> 4)::integer, (place ->> 5)::integer,
    substring(payloads from (place ->> 1)::integer for (place ->> 2)::integer)
  from arrived;

  insert into integrated_hour as h (project_id, error_id, hour, event_count)
  select e.project_id, e.id, (j.one ->> 2)::integer, (j.one ->> 3)::bigint
  from jsonb_array_elements(hours) as j (one)
  join integrated_error e on e.project_id = (j.one ->> 0)::bigint and e.group_hash = decode(j.one ->> 1, 'hex')
  on conflict (project_id, error_id, hour) do update set event_count = h.event_count + excluded.event_count;

  -- Most users and tags have the present day already: that is read and not locked.
  with seen as (
    select e.project_id, e.id as error_id, j.one ->> 2 as "user", max((j.one ->> 3)::integer) as day
    from jsonb_array_elements(users) as j (one)
    join integrated_error e on e.project_id = (j.one ->> 0)::bigint and e.group_hash = decode(j.one ->> 1, 'hex')
    group by 1, 2, 3
  ), added as (
    insert into integrated_user as u (project_id, error_id, "user", last_seen_day)
    select * from seen s where not exists (
      select from integrated_user k where k.project_id = s.project_id and k.error_id = s.error_id
        and k."user" = s."user" collate "C" and k.last_seen_day >= s.day)
    on conflict (project_id, error_id, "user") do update set last_seen_day = excluded.last_seen_day
    where excluded.last_seen_day > u.last_seen_day
    returning project_id, error_id, old.error_id is null as is_new
  ), counted as (
    select project_id, error_id, count(*) as n from added where is_new group by 1, 2
  )
  update integrated_error e set user_count = user_count + counted.n
  from counted where e.project_id = counted.project_id and e.id = counted.error_id;

  with seen as (
    select e.project_id, e.id as error_id, j.one ->> 2 as key, j.one ->> 3 as value, max((j.one ->> 4)::integer) as day
    from jsonb_array_elements(tags) as j (one)
    join integrated_error e on e.project_id = (j.one ->> 0)::bigint and e.group_hash = decode(j.one ->> 1, 'hex')
    group by 1, 2, 3, 4
  )
  insert into integrated_tag as t (project_id, error_id, key, value, last_seen_day)
  select * from seen s where not exists (
    select from integrated_tag k where k.project_id = s.project_id and k.error_id = s.error_id
      and k.key = s.key collate "C" and k.value = s.value collate "C" and k.last_seen_day >= s.day)
  on conflict (project_id, error_id, key, value) do update set last_seen_day = excluded.last_seen_day
  where excluded.last_seen_day > t.last_seen_day;

  return 'stored';
exception
  when unique_violation then
    get stacked diagnostics failed_table = table_name;
    if starts_with(failed_table, 'integrated_event') then return 'repeated'; end if;
    raise;
  when check_violation then
    get stacked diagnostics failed_table = table_name;
    if failed_table in ('integrated_event', 'integrated_payload') then return 'no partition'; end if;
    raise;
end
$body$`;
