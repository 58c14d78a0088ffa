import { storeBatch as before } from "./store-batch-0002.ts";

const keyed = "  ), keyed as (";

/** Extends the procedure to list the stored events as not counted, in one row per project. */
export const storeBatch = before.replace("create function", "create or replace function").replace(
  keyed,
  `  ), uncounted as (
    insert into integrated_uncounted_batch (project_id, event_row_ids)
    select (one ->> 0)::bigint, array_agg(id) from arrived group by 1
${keyed}`,
);
