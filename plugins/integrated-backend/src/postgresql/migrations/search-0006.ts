/**
 * The index keys of a text, ignoring the case of ASCII letters: its pieces of three letters and of two, each a number
 * of three code points of 21 bits. The last code point of a pair is 0. The number of the project is mixed in, so that
 * entries of other projects are not read.
 */
export const searchKeys = `create function integrated_search_keys(
  project bigint, message text, culprit text, type text, level text, status smallint) returns bigint[]
language sql immutable parallel safe
cost 10000 -- 0.4 ms; the planner must not look at rows with it instead of the index
as $body$
  select array_agg(distinct key)
  from (
    select (project << 49) # (code << 42) as one, lead(code) over (order by n) << 21 as two,
      lead(code, 2) over (order by n) as three
    from (
      select ascii(letter)::bigint as code, n
      from unnest(string_to_array(lower((
        chr(31) || message || chr(31) || culprit || chr(31) || type || chr(31) || level || chr(31) || chr(30) || status
      ) collate "C"), null)) with ordinality as j (letter, n)
    ) as letters
  ) as codes cross join lateral unnest(array[one # two, one # two # three]) as key
  where key is not null
$body$`;

/** The keys of a text that has some pieces. */
export const pieceKeys = `create function integrated_piece_keys(project bigint, pieces text[]) returns bigint[]
language sql immutable parallel safe as $body$
  select array_agg((project << 49) # (ascii(piece)::bigint << 42) # (ascii(substr(piece, 2))::bigint << 21)
    # ascii(substr(piece, 3))::bigint)
  from (select lower(one collate "C") as piece from unnest(pieces) as one) as small
$body$`;

/**
 * Like search-0003.ts, except that a value at the end of the title is found in the title, and hidden errors are not
 * found.
 */
export const indexErrors = `create or replace function integrated_index_errors(errors jsonb) returns void language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
#variable_conflict use_column
begin
  -- In the order in which batches lock errors. What a batch writes to them afterwards makes them due again.
  perform from jsonb_array_elements(errors) as j (one)
  join integrated_error e on e.project_id = (j.one ->> 0)::bigint and e.id = (j.one ->> 1)::bigint
  order by e.project_id, e.group_hash for no key update of e;

  insert into integrated_search (project_id, error_id, status, level, type, message, culprit)
  select e.project_id, e.id, e.status, e.level, e.type,
    lower(case when right(e.title, length(e.value)) = e.value then e.title else e.title || chr(31) || e.value end),
    lower(e.culprit)
  from jsonb_array_elements(errors) as j (one)
  join integrated_error e on e.project_id = (j.one ->> 0)::bigint and e.id = (j.one ->> 1)::bigint
  where e.status > 0
  on conflict (project_id, error_id) do update set status = excluded.status, level = excluded.level,
    type = excluded.type, message = excluded.message, culprit = excluded.culprit;

  delete from integrated_search s using jsonb_array_elements(errors) as j (one)
  where s.project_id = (j.one ->> 0)::bigint and s.error_id = (j.one ->> 1)::bigint and not exists (
    select from integrated_error e where e.project_id = s.project_id and e.id = s.error_id and e.status > 0);

  delete from integrated_search_due d using jsonb_array_elements(errors) as j (one)
  where d.project_id = (j.one ->> 0)::bigint and d.error_id = (j.one ->> 1)::bigint;
end
$body$`;

/** Searches read the row of a changed error until it is indexed again. A hidden error is immediately excluded. */
export const errorChanged = `create function integrated_error_changed() returns trigger language plpgsql as $body$
begin
  if new.status > 0 then
    insert into integrated_search_due (project_id, error_id) values (new.project_id, new.id) on conflict do nothing;
  else
    delete from integrated_search where project_id = new.project_id and error_id = new.id;
  end if;
  return null;
end
$body$`;
