/**
 * Stores updates of sessions and counted sessions atomically; for its lists, see store-sessions.ts. Like
 * store-sessions-0001.ts, with limits of releases, environments and users. Several processes store simultaneously: each
 * locks sessions, then hours, days, users and releases, each in the order of their key.
 */
export const storeSessions = `create or replace function integrated_store_sessions(releases jsonb, updates jsonb, aggregates jsonb)
returns void language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
#variable_conflict use_column
declare
  named integer;
  counted jsonb;
  changes jsonb;
  users jsonb;
  others jsonb;
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

  -- What is beyond 10,000 releases of a project, or in an environment beyond its 100, becomes its release without a name:
  -- SDKs cannot send it, as a session without a release is left out. Processes that store at once may go beyond by as many
  -- as they bring together. All of it is skipped while every release is known.
  if exists (
    select from jsonb_array_elements(releases) as j (one) where not exists (
      select from integrated_release r where r.project_id = (j.one ->> 0)::bigint and r.version = j.one ->> 1
        and r.environment = j.one ->> 2)
  ) then
    with unknown as (
      select (j.one ->> 0)::bigint as project_id, (j.one ->> 1) collate "C" as version, (j.one ->> 2) collate "C" as environment
      from jsonb_array_elements(releases) as j (one) where not exists (
        select from integrated_release r where r.project_id = (j.one ->> 0)::bigint and r.version = j.one ->> 1
          and r.environment = j.one ->> 2)
    ), project as materialized (
      select p.project_id, count(*) as release_count, count(distinct r.environment) as environment_count
      from (select distinct project_id from unknown) as p
      join integrated_release r on r.project_id = p.project_id and r.version <> ''
      group by 1
    ), environment as materialized (
      select u.project_id, u.environment, exists (
        select from integrated_release r
        where r.project_id = u.project_id and r.environment = u.environment and r.version <> '') as is_known
      from (select distinct project_id, environment from unknown) as u
    ), fitting_environment as (
      select e.project_id, e.environment from (
        select *, row_number() over (partition by project_id, is_known order by environment) as n from environment
      ) as e left join project p on p.project_id = e.project_id
      where e.is_known or coalesce(p.environment_count, 0) + e.n <= 100
    ), fitting as (
      select u.*, coalesce(p.release_count, 0) + row_number() over (partition by u.project_id order by u.version, u.environment) as n
      from unknown u
      join fitting_environment e on e.project_id = u.project_id and e.environment = u.environment
      left join project p on p.project_id = u.project_id
    )
    insert into integrated_release (project_id, version, environment)
    select project_id, version, environment from fitting where n <= 10000 order by 1, 2, 3
    on conflict (project_id, version, environment) do nothing;

    select jsonb_object_agg(jsonb_build_array(j.one -> 0, j.one -> 1, j.one -> 2)::text, true) into others
    from jsonb_array_elements(releases) as j (one) where not exists (
      select from integrated_release r where r.project_id = (j.one ->> 0)::bigint and r.version = j.one ->> 1
        and r.environment = j.one ->> 2);
    if others is not null then
      select jsonb_agg(distinct case when others ? jsonb_build_array(one -> 0, one -> 1, one -> 2)::text
          then jsonb_build_array(one -> 0, '', '') else one end)
      into releases from jsonb_array_elements(releases) as j (one);
      select coalesce(jsonb_agg(case when others ? jsonb_build_array(one -> 0, one -> 1, one -> 2)::text
          then jsonb_set(jsonb_set(one, '{1}', '""'), '{2}', '""') else one end order by n), '[]')
      into updates from jsonb_array_elements(updates) with ordinality as j (one, n);
      select coalesce(jsonb_agg(case when others ? jsonb_build_array(one -> 1, one -> 2, one -> 3)::text
          then jsonb_set(jsonb_set(one, '{2}', '""'), '{3}', '""') else one end), '[]')
      into counted from jsonb_array_elements(counted) as j (one);
    end if;
  end if;

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

  select coalesce(jsonb_agg(to_jsonb(c)), '[]') into users from (
    select project_id, release_id, hour / 24 as day, "user", sum(user_found) as session_count,
      sum(case when user_found > 0 then is_crashed else crashed end) as crashed_count
    from jsonb_to_recordset(changes) as c (
      project_id bigint, release_id bigint, hour integer, "user" text, user_found bigint, crashed bigint, is_crashed bigint)
    where "user" <> ''
    group by 1, 2, 3, 4
    having (sum(user_found), sum(case when user_found > 0 then is_crashed else crashed end)) <> (0, 0)
  ) as c;

  -- Of a day 50,000 users of a release and 100,000 of a project are counted apart, the others are one user without a name.
  -- Release 0 stands for all of the project. Whoever makes a row counts the users that are there, and everybody locks it
  -- before adding to them.
  insert into integrated_session_day (project_id, day, release_id, user_count)
  select project_id, day, release_id, case when release_id = 0 then (
      select count(*) from integrated_release r
      join integrated_session_user u on u.project_id = r.project_id and u.release_id = r.id and u.day = c.day and u."user" <> ''
      where r.project_id = c.project_id
    ) else (
      select count(*) from integrated_session_user u
      where u.project_id = c.project_id and u.release_id = c.release_id and u.day = c.day and u."user" <> ''
    ) end
  from (
    select project_id, day, release_id from jsonb_to_recordset(users) as c (project_id bigint, day integer, release_id bigint)
    union
    select project_id, day, 0 from jsonb_to_recordset(users) as c (project_id bigint, day integer)
  ) as c
  where not exists (
    select from integrated_session_day d
    where d.project_id = c.project_id and d.day = c.day and d.release_id = c.release_id)
  order by 1, 2, 3
  on conflict (project_id, day, release_id) do nothing;

  perform from (
    select project_id, day, release_id from jsonb_to_recordset(users) as c (project_id bigint, day integer, release_id bigint)
    union
    select project_id, day, 0 from jsonb_to_recordset(users) as c (project_id bigint, day integer)
  ) as c
  join integrated_session_day d on d.project_id = c.project_id and d.day = c.day and d.release_id = c.release_id
  order by d.project_id, d.day, d.release_id
  for no key update of d;

  with counted as (
    select c.*, u.day is not null as is_known
    from jsonb_to_recordset(users) as c (
      project_id bigint, release_id bigint, day integer, "user" text, session_count bigint, crashed_count bigint)
    left join integrated_session_user u on u.project_id = c.project_id and u.release_id = c.release_id and u.day = c.day
      and u."user" = c."user"
  ), placed as (
    select *,
      row_number() over (partition by project_id, day, release_id, is_known order by "user" collate "C") as n_of_release,
      row_number() over (partition by project_id, day, is_known order by release_id, "user" collate "C") as n_of_project
    from counted
  ), named as (
    select p.project_id, p.release_id, p.day, case
        when is_known or n_of_release + r.user_count <= 50000 and n_of_project + a.user_count <= 100000 then "user" else ''
      end as "user", session_count, crashed_count
    from placed p
    join integrated_session_day r on r.project_id = p.project_id and r.day = p.day and r.release_id = p.release_id
    join integrated_session_day a on a.project_id = p.project_id and a.day = p.day and a.release_id = 0
  ), stored as (
    insert into integrated_session_user as u (project_id, release_id, day, "user", session_count, crashed_count)
    select project_id, release_id, day, "user", sum(session_count), sum(crashed_count) from named
    group by 1, 2, 3, 4
    order by 1, 2, 3, "user" collate "C"
    on conflict (project_id, release_id, day, "user") do update set
      session_count = u.session_count + excluded.session_count, crashed_count = u.crashed_count + excluded.crashed_count
    returning new.project_id, new.day, new.release_id, new."user", old.day is null as is_added
  ), added as (
    select project_id, day, release_id, count(*) as n from stored where is_added and "user" <> '' group by 1, 2, 3
    union all
    select project_id, day, 0, count(*) from stored where is_added and "user" <> '' group by 1, 2
  )
  update integrated_session_day d set user_count = d.user_count + added.n
  from added where d.project_id = added.project_id and d.day = added.day and d.release_id = added.release_id;

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
