/** As in search-0006.ts, with the status after the texts. */
export const indexErrors = `create or replace function integrated_index_errors(errors jsonb) returns void language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
#variable_conflict use_column
begin
  -- In the order in which batches lock errors. What a batch writes to them afterwards makes them due again.
  perform from jsonb_array_elements(errors) as j (one)
  join integrated_error e on e.project_id = (j.one ->> 0)::bigint and e.id = (j.one ->> 1)::bigint
  order by e.project_id, e.group_hash for no key update of e;

  insert into integrated_search (project_id, error_id, text)
  select e.project_id, e.id,
    lower(concat_ws(chr(31), '', e.title, e.type, e.value, e.culprit, e.level, chr(30) || e.status))
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
