import { sql, type Kysely, type RawBuilder } from "kysely";
import type { Tables } from "../tables.ts";

/**
 * Adds to the usage of projects, or subtracts if the numbers are negative. `rows` is a query of project, events, bytes
 * of payloads and bytes of tags. Must be the last statement of a transaction, because rows are locked in the order in
 * which batches lock them.
 */
export async function addUsage(transaction: Kysely<Tables>, rows: RawBuilder<unknown>): Promise<void> {
  await sql`insert into integrated_usage as u (project_id, event_count, payload_bytes, tag_bytes)
    select project_id, coalesce(sum(events), 0), coalesce(sum(payload), 0), coalesce(sum(tag), 0)
    from (${rows}) as more (project_id, events, payload, tag) group by 1 order by 1
    on conflict (project_id) do update set event_count = u.event_count + excluded.event_count,
      payload_bytes = u.payload_bytes + excluded.payload_bytes, tag_bytes = u.tag_bytes + excluded.tag_bytes`.execute(
    transaction,
  );
}
