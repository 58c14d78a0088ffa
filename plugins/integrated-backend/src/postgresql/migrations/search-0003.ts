/**
 * The trigrams of a text, ignoring the case of ASCII letters: three code points of 21 bits each in one number. The
 * number of the project is mixed in, so that entries of other projects are not read.
 */
export const trigrams = `create function integrated_trigrams(project bigint, searched text) returns bigint[]
language sql immutable parallel safe as $body$
  select coalesce(array_agg(distinct (project << 49) # (one << 42) # (two << 21) # three), '{}')
  from (
    select code as one, lead(code) over (order by n) as two, lead(code, 2) over (order by n) as three
    from (
      select ascii(letter)::bigint as code, n
      from unnest(string_to_array(lower(searched collate "C"), null)) with ordinality as j (letter, n)
    ) as letters
  ) as codes
  where three is not null
$body$`;

/**
 * Indexes the texts of errors, given as a JSON list of project and error, and drops deleted errors from the index.
 * Afterwards none of them is due. The texts are joined like in sqlite/search-index.ts.
 */
export const indexErrors = `create function integrated_index_errors(errors jsonb) returns void language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
#variable_conflict use_column
begin
  -- In the order in which batches lock errors. What a batch writes to them afterwards makes them due again.
  perform from jsonb_array_elements(errors) as j (one)
  join integrated_error e on e.project_id = (j.one ->> 0)::bigint and e.id = (j.one ->> 1)::bigint
  order by e.project_id, e.group_hash for no key update of e;

  insert into integrated_search (project_id, error_id, trigrams)
  select e.project_id, e.id, integrated_trigrams(e.project_id,
    concat_ws(chr(31), '', e.title, e.type, e.value, e.culprit, e.level, ''))
  from jsonb_array_elements(errors) as j (one)
  join integrated_error e on e.project_id = (j.one ->> 0)::bigint and e.id = (j.one ->> 1)::bigint
  on conflict (project_id, error_id) do update set trigrams = excluded.trigrams;

  delete from integrated_search s using jsonb_array_elements(errors) as j (one)
  where s.project_id = (j.one ->> 0)::bigint and s.error_id = (j.one ->> 1)::bigint
    and not exists (select from integrated_error e where e.project_id = s.project_id and e.id = s.error_id);

  delete from integrated_search_due d using jsonb_array_elements(errors) as j (one)
  where d.project_id = (j.one ->> 0)::bigint and d.error_id = (j.one ->> 1)::bigint;
end
$body$`;

/**
 * A JSON list of the errors of a project that may have all of some texts, found by their trigrams, and of due errors.
 * The texts are a JSON list of lists: the error has one text of each list. It ends one error after `most`.
 *
 * Only the index of trigrams helps here, whatever the statistics say.
 */
export const errorsWith = `create function integrated_errors_with(project bigint, texts jsonb, most integer) returns json
stable language plpgsql set enable_seqscan = off as $body$
declare
  condition text;
  found json;
begin
  select string_agg('(' || (
    select string_agg(format('trigrams @> %L', integrated_trigrams(project, form)), ' or ')
    from jsonb_array_elements_text(forms) as f (form)
  ) || ')', ' and ')
  into condition from jsonb_array_elements(texts) as t (forms);

  execute format('select coalesce(json_agg(error_id), ''[]'') from (
    select error_id from (
      select error_id from integrated_search_due where project_id = $1
      union all
      select error_id from integrated_search where %s
    ) as may limit $2 + 1
  ) as listed', condition) into found using project, most;
  return found;
end
$body$`;
