import { implausibleMs } from "../../storing/new-errors.ts";
import { maxTagKeys, maxTagValues, maxUsers } from "../../limits.ts";

/**
 * Stores a batch atomically; for its lists, see BatchParameters. Returns 'stored', 'repeated' if an event is already
 * stored, or 'no partition' if a day of the batch has no partitions yet.
 *
 * Several processes store simultaneously. Each first locks the errors of its batch in the order of their key, and all
 * other rows of an error are written under its lock, so that processes never wait for each other in a circle. A
 * repeated event also meets the lock of its error, and the check of other days then finds it.
 *
 * The usage of projects is added last, because processes that store for one project wait for each other from then
 * until the commit. A process of the previous release names no client keys and no new errors, but is still counted.
 *
 * Nested loops only: the lists are short and the tables large, whatever the statistics of a new day say.
 */
export const storeBatch = `create function integrated_store_batch(
  grouping_version integer, errors jsonb, events jsonb, payloads bytea, places jsonb, hours jsonb, users jsonb, tags jsonb,
  received_at bigint, new_errors jsonb default '[]'
) returns text language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
#variable_conflict use_column
declare
  first_id bigint;
  last_id bigint;
  failed_table text;
  added_tags jsonb;
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
  ), keyed as (
    insert into integrated_origin (project_id, event_row_id, key_id)
    select (one ->> 0)::bigint, id, (one ->> 11)::bigint from arrived where (one ->> 11)::bigint > 0
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

  -- Most users and tags have the present day already: that is read and not locked. New ones are numbered, as there is
  -- room for so many; those beyond are counted. Left joins, as others might begin with the large table.
  with seen as (
    select e.project_id, e.id as error_id, e.user_count, j.one ->> 2 as "user", max((j.one ->> 3)::integer) as day
    from jsonb_array_elements(users) as j (one)
    join integrated_error e on e.project_id = (j.one ->> 0)::bigint and e.group_hash = decode(j.one ->> 1, 'hex')
    group by 1, 2, 3, 4
  ), stale as materialized (
    select s.*, k.error_id is null as is_new, k.error_id is not null or user_count + row_number()
      over (partition by s.project_id, s.error_id, k.error_id is null order by s."user") <= ${maxUsers} as fits
    from seen s left join integrated_user k on k.project_id = s.project_id and k.error_id = s.error_id
      and k."user" = s."user" collate "C"
    where k.error_id is null or k.last_seen_day < s.day
  ), stored as (
    insert into integrated_user (project_id, error_id, "user", last_seen_day)
    select project_id, error_id, "user", day from stale where fits
    on conflict (project_id, error_id, "user") do update set last_seen_day = excluded.last_seen_day
  ), others as (
    insert into integrated_cardinality as c (project_id, error_id, key_count, other_tag_count, other_user_count)
    select project_id, error_id, 0, 0, count(*) from stale where not fits group by 1, 2
    on conflict (project_id, error_id) do update set other_user_count = c.other_user_count + excluded.other_user_count
  )
  update integrated_error e set user_count = e.user_count + more.n
  from (select project_id, error_id, count(*) as n from stale where is_new and fits group by 1, 2) more
  where e.project_id = more.project_id and e.id = more.error_id;

  with seen as (
    select e.project_id, e.id as error_id, j.one ->> 2 as key, j.one ->> 3 as value, max((j.one ->> 4)::integer) as day
    from jsonb_array_elements(tags) as j (one)
    join integrated_error e on e.project_id = (j.one ->> 0)::bigint and e.group_hash = decode(j.one ->> 1, 'hex')
    group by 1, 2, 3, 4
  ), stale as materialized (
    select s.*, t.error_id is null as is_new
    from seen s left join integrated_tag t on t.project_id = s.project_id and t.error_id = s.error_id
      and t.key = s.key collate "C" and t.value = s.value collate "C"
    where t.error_id is null or t.last_seen_day < s.day
  ), keyed as (
    -- A key of an error of the version before is counted when a value is added.
    select s.*, k.error_id is null as has_new_key, coalesce(c.key_count, 0) as key_count,
      coalesce(k.value_count, (
        select count(*) from (
          select from integrated_tag t where t.project_id = s.project_id and t.error_id = s.error_id
            and t.key = s.key collate "C" limit ${maxTagValues}) few)) as value_count
    from stale s
    left join integrated_tag_key k on k.project_id = s.project_id and k.error_id = s.error_id and k.key = s.key collate "C"
    left join integrated_cardinality c on c.project_id = s.project_id and c.error_id = s.error_id
    where s.is_new
  ), added as materialized (
    select *, (not has_new_key or key_count + dense_rank()
        over (partition by project_id, error_id, has_new_key order by key) <= ${maxTagKeys})
      and value_count + row_number() over (partition by project_id, error_id, key order by value) <= ${maxTagValues} as fits
    from keyed
  ), stored as (
    insert into integrated_tag (project_id, error_id, key, value, last_seen_day)
    select project_id, error_id, key, value, day from added where fits
    union all select project_id, error_id, key, value, day from stale where not is_new
    on conflict (project_id, error_id, key, value) do update set last_seen_day = excluded.last_seen_day
  ), counted as (
    insert into integrated_tag_key (project_id, error_id, key, value_count)
    select project_id, error_id, key, max(value_count) + count(*) from added where fits group by 1, 2, 3
    on conflict (project_id, error_id, key) do update set value_count = excluded.value_count
  ), others as (
    insert into integrated_cardinality as c (project_id, error_id, key_count, other_tag_count, other_user_count)
    select project_id, error_id, count(distinct key) filter (where fits and has_new_key),
      count(*) filter (where not fits), 0
    from added group by 1, 2 having bool_or(has_new_key or not fits)
    on conflict (project_id, error_id) do update set key_count = c.key_count + excluded.key_count,
      other_tag_count = c.other_tag_count + excluded.other_tag_count
  )
  select jsonb_agg(jsonb_build_array(project_id, n)) into added_tags from (
    select project_id, sum(octet_length(key) + octet_length(value) + 64) as n from added where fits group by 1
  ) more;

  insert into integrated_new_error as c (project_id, day, error_count, used_until)
  select (j.one ->> 0)::bigint, (j.one ->> 1)::integer, (j.one ->> 2)::bigint, (j.one ->> 3)::bigint
  from jsonb_array_elements(new_errors) as j (one)
  order by 1
  on conflict (project_id) do update set
    error_count = case when c.day = excluded.day then c.error_count else 0 end + excluded.error_count,
    day = excluded.day,
    used_until = excluded.used_until
      + case when c.used_until - $9 between 0 and ${implausibleMs} then c.used_until - $9 else 0 end;

  insert into integrated_usage as u (project_id, event_count, payload_bytes, tag_bytes)
  select project_id, sum(events), sum(payload), sum(tag) from (
    select (one ->> 0)::bigint as project_id, 1 as events, (place ->> 2)::bigint as payload, 0 as tag
    from rows from (jsonb_array_elements(events), jsonb_array_elements(places)) as j (one, place)
    union all
    select (one ->> 0)::bigint, 0, 0, (one ->> 1)::bigint from jsonb_array_elements(added_tags) as j (one)
  ) more group by 1 order by 1
  on conflict (project_id) do update set event_count = u.event_count + excluded.event_count,
    payload_bytes = u.payload_bytes + excluded.payload_bytes, tag_bytes = u.tag_bytes + excluded.tag_bytes;

  return 'stored';
exception
  when unique_violation then
    get stacked diagnostics failed_table = table_name;
    if starts_with(failed_table, 'integrated_event') then return 'repeated'; end if;
    raise;
  when check_violation then
    get stacked diagnostics failed_table = table_name;
    if failed_table in ('integrated_event', 'integrated_payload', 'integrated_origin') then return 'no partition'; end if;
    raise;
end
$body$`;
