/** As in search-0003.ts, with the text, its ASCII letters small, instead of its trigrams. */
export const indexErrors = `create or replace function integrated_index_errors(errors jsonb) returns void language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
#variable_conflict use_column
begin
  -- In the order in which batches lock errors. What a batch writes to them afterwards makes them due again.
  perform from jsonb_array_elements(errors) as j (one)
  join integrated_error e on e.project_id = (j.one ->> 0)::bigint and e.id = (j.one ->> 1)::bigint
  order by e.project_id, e.group_hash for no key update of e;

  insert into integrated_search (project_id, error_id, text)
  select e.project_id, e.id, lower(concat_ws(chr(31), '', e.title, e.type, e.value, e.culprit, e.level, ''))
  from jsonb_array_elements(errors) as j (one)
  join integrated_error e on e.project_id = (j.one ->> 0)::bigint and e.id = (j.one ->> 1)::bigint
  on conflict (project_id, error_id) do update set text = excluded.text;

  delete from integrated_search s using jsonb_array_elements(errors) as j (one)
  where s.project_id = (j.one ->> 0)::bigint and s.error_id = (j.one ->> 1)::bigint
    and not exists (select from integrated_error e where e.project_id = s.project_id and e.id = s.error_id);

  delete from integrated_search_due d using jsonb_array_elements(errors) as j (one)
  where d.project_id = (j.one ->> 0)::bigint and d.error_id = (j.one ->> 1)::bigint;
end
$body$`;

/**
 * The errors of a project that have some pieces of three letters, or two, and those that are due. The pieces are a JSON list
 * of words, each a list of forms, each a list of pieces: of the forms an error has one.
 *
 * Three letters are looked up in the index of trigrams, which alone is of use here, whatever the statistics say; with the
 * memory its bitmap is exact up to some millions of errors. For two letters all texts of the project are read.
 */
export const errorsWith = `create function integrated_errors_with(project bigint, pieces jsonb) returns setof bigint
stable language plpgsql set enable_seqscan = off set work_mem = '32MB' as $body$
declare
  condition text;
begin
  select string_agg('(' || (
    select string_agg('(' || (
      select string_agg(case
        when length(piece) < 3 then format('project_id = $1 and position(%L in text) > 0', piece)
        else format('integrated_trigrams(project_id, text) @> %L::bigint[]', integrated_trigrams(project, piece))
      end, ' and ')
      from jsonb_array_elements_text(form) as p (piece)
    ) || ')', ' or ')
    from jsonb_array_elements(forms) as f (form)
  ) || ')', ' and ')
  into condition from jsonb_array_elements(pieces) as w (forms);

  return query execute format('select error_id from integrated_search_due where project_id = $1
    union all
    select error_id from integrated_search where %s', condition) using project;
end
$body$`;
