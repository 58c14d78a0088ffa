/**
 * Stores updates of sessions and counted sessions atomically; for its lists, see store-sessions.ts. Several processes
 * store simultaneously: each locks sessions, then hours, users and releases, each in the order of their key.
 */
export const storeSessions = `create function integrated_store_sessions(releases jsonb, updates jsonb, aggregates jsonb)
returns void language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
#variable_conflict use_column
declare
  named integer;
  counted jsonb;
  changes jsonb;
begin
  -- Of two workers that were given the same the second waits here for the first, and then counts nothing.
  with sent as (
    select distinct on (project_id, receipt) project_id, receipt, one from (
      select (one ->> 1)::bigint as project_id, (one ->> 9) collate "C" as receipt, one
      from jsonb_array_elements(aggregates) as j (one)
    ) as j where receipt is not null order by 1, 2
  ), received as (
    insert into integrated_receipt (project_id, receipt, received_at)
    select project_id, receipt, (extract(epoch from now()) * 1000)::bigint from sent
    order by 1, 2
    on conflict (project_id, receipt) do nothing
    returning project_id, receipt
  )
  select coalesce(jsonb_agg(one), '[]') into counted from (
    select one from sent join received r on r.project_id = sent.project_id and r.receipt = sent.receipt
    union all
    select one from jsonb_array_elements(aggregates) as j (one) where one ->> 9 is null
  ) as j;

  -- The lock keeps retention from deleting a release of which no hour is left while its next one is on its way.
  loop
    insert into integrated_release (project_id, version, environment)
    select (j.one ->> 0)::bigint, j.one ->> 1, j.one ->> 2 from jsonb_array_elements(releases) as j (one)
    order by 1, 2, 3
    on conflict (project_id, version, environment) do nothing;

    perform from jsonb_array_elements(releases) as j (one)
    join integrated_release r on r.project_id = (j.one ->> 0)::bigint and r.version = j.one ->> 1
      and r.environment = j.one ->> 2
    order by r.project_id, r.version, r.environment
    for key share of r;
    get diagnostics named = row_count;
    exit when named = jsonb_array_length(releases);
  end loop;

  -- Several updates of one session are one first, as a statement can change a row once: the first names release and hour,
  -- the newest tells the status (status 1 is the only one that is no end), whatever came first.
  with sent as (
    select (one ->> 0)::bigint as project_id, decode(one ->> 3, 'hex') as session_id,
      (array_agg(one order by n))[1] as first,
      max(array[((one ->> 8)::integer > 1)::integer, (one ->> 6)::bigint, (one ->> 7)::bigint, (one ->> 8)::bigint]) as newest,
      max((one ->> 9)::bigint) as error_count,
      coalesce((array_agg(one ->> 5 order by n) filter (where one ->> 5 <> ''))[1], '') as "user"
    from jsonb_array_elements(updates) with ordinality as j (one, n)
    group by 1, 2
  ), stored as (
    insert into integrated_session as s (
      project_id, session_id, release_id, hour, "user", sequence, updated_at, status, error_count, received_at)
    select sent.project_id, session_id, r.id, (first ->> 4)::integer, "user", newest[2], newest[3], newest[4], error_count,
      (first ->> 10)::bigint
    from sent join integrated_release r on r.project_id = sent.project_id and r.version = first ->> 1
      and r.environment = first ->> 2
    order by 1, 2
    on conflict (project_id, session_id) do update set
      (sequence, updated_at, status) = (
        select sequence, updated_at, status
        from (values (excluded.sequence, excluded.updated_at, excluded.status), (s.sequence, s.updated_at, s.status))
          as v (sequence, updated_at, status)
        order by status > 1 desc, sequence desc, updated_at desc, status desc limit 1),
      error_count = greatest(s.error_count, excluded.error_count),
      "user" = case when s."user" = '' then excluded."user" else s."user" end
    where (excluded.status > 1, excluded.sequence, excluded.updated_at, excluded.status)
        > (s.status > 1, s.sequence, s.updated_at, s.status)
      or excluded.error_count > s.error_count or (s."user" = '' and excluded."user" <> '')
    returning new.project_id, new.release_id, new.hour, new."user",
      (old.id is null)::integer as added,
      (old.id is null or old."user" = '')::integer as user_found,
      new.errored - coalesce(old.errored, 0) as errored, new.abnormal - coalesce(old.abnormal, 0) as abnormal,
      new.crashed - coalesce(old.crashed, 0) as crashed, new.crashed as is_crashed
  )
  select coalesce(jsonb_agg(to_jsonb(stored)), '[]') into changes from stored;

  select changes || coalesce(jsonb_agg(jsonb_build_object(
    'project_id', r.project_id, 'release_id', r.id, 'hour', j.one -> 4, 'user', j.one -> 5, 'added', j.one -> 0,
    'user_found', j.one -> 0, 'errored', j.one -> 6, 'abnormal', j.one -> 8, 'crashed', j.one -> 7, 'is_crashed', j.one -> 7
  )), '[]') into changes
  from jsonb_array_elements(counted) as j (one)
  join integrated_release r on r.project_id = (j.one ->> 1)::bigint and r.version = j.one ->> 2
    and r.environment = j.one ->> 3;

  insert into integrated_session_hour as h (project_id, release_id, hour, total, errored, crashed, abnormal)
  select project_id, release_id, hour, sum(added), sum(errored), sum(crashed), sum(abnormal)
  from jsonb_to_recordset(changes) as c (
    project_id bigint, release_id bigint, hour integer, added bigint, errored bigint, crashed bigint, abnormal bigint)
  group by 1, 2, 3
  having (sum(added), sum(errored), sum(crashed), sum(abnormal)) <> (0, 0, 0, 0)
  order by 1, 2, 3
  on conflict (project_id, release_id, hour) do update set total = h.total + excluded.total,
    errored = h.errored + excluded.errored, crashed = h.crashed + excluded.crashed,
    abnormal = h.abnormal + excluded.abnormal;

  insert into integrated_session_user as u (project_id, release_id, day, "user", session_count, crashed_count)
  select project_id, release_id, hour / 24, "user", sum(user_found),
    sum(case when user_found > 0 then is_crashed else crashed end)
  from jsonb_to_recordset(changes) as c (
    project_id bigint, release_id bigint, hour integer, "user" text, user_found bigint, crashed bigint, is_crashed bigint)
  where "user" <> ''
  group by 1, 2, 3, 4
  having (sum(user_found), sum(case when user_found > 0 then is_crashed else crashed end)) <> (0, 0)
  order by 1, 2, 3, "user" collate "C"
  on conflict (project_id, release_id, day, "user") do update set
    session_count = u.session_count + excluded.session_count, crashed_count = u.crashed_count + excluded.crashed_count;

  with counted as (
    select project_id, release_id, min(hour) as first, max(hour) as last
    from jsonb_to_recordset(changes) as c (project_id bigint, release_id bigint, hour integer, added bigint)
    where added > 0 group by 1, 2
  ), changed as (
    select r.project_id, r.id, counted.first, counted.last
    from counted join integrated_release r on r.project_id = counted.project_id and r.id = counted.release_id
    where r.first_hour is null or counted.first < r.first_hour or counted.last > r.last_hour
    order by 1, 2
    for no key update of r
  )
  update integrated_release r set first_hour = least(r.first_hour, changed.first), last_hour = greatest(r.last_hour, changed.last)
  from changed where r.project_id = changed.project_id and r.id = changed.id;
end
$body$`;
