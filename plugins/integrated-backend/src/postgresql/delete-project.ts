import { inBackground } from "@faultline/plugin/flow";
import { sql, type Kysely } from "kysely";
import type { Tables } from "../tables.ts";
import type { TouchedTables } from "./touched-tables.ts";
import { addUsage } from "./usage.ts";

/** Small enough for a short transaction. */
const sliceRows = 500;

/** A table with rows of projects. */
interface Part {
  readonly table: string;
  /** The columns of its key after project_id. */
  readonly key: string;
  /**
   * The subtractions of deleted rows from the project's usage: events, bytes of payloads, bytes of tags. Undefined if
   * the rows are not in the usage.
   */
  readonly usage?: string;
}

/** The tables of a project in the order of deletion: events first, and the rows that other tables need last. */
const parts: readonly Part[] = [
  { table: "integrated_payload", key: "event_row_id", usage: "0, -sum(length(content)), 0" },
  { table: "integrated_origin", key: "event_row_id" },
  { table: "integrated_event", key: "id", usage: "-count(*), 0, 0" },
  { table: "integrated_expired", key: "error_id, hour" },
  { table: "integrated_hour", key: "error_id, hour" },
  { table: "integrated_user", key: `error_id, "user"` },
  {
    table: "integrated_tag",
    key: "error_id, key, value",
    usage: "0, 0, -sum(octet_length(key) + octet_length(value) + 64)",
  },
  { table: "integrated_count", key: "error_id, key, value" },
  { table: "integrated_uncounted_batch", key: "n" },
  { table: "integrated_uncounted", key: "first_n" },
  { table: "integrated_tag_key", key: "error_id, key" },
  { table: "integrated_cardinality", key: "error_id" },
  { table: "integrated_error", key: "id" },
  { table: "integrated_sampled_out", key: "error_id, day" }, // written while its error was deleted
  { table: "integrated_tag_error", key: "key, value, error_id" },
  { table: "integrated_search", key: "error_id" },
  { table: "integrated_search_due", key: "error_id" },
  { table: "integrated_search_fill", key: "project_id" },
  { table: "integrated_feedback", key: "id" },
  { table: "integrated_receipt", key: "receipt" },
  { table: "integrated_session", key: "id" },
  { table: "integrated_session_user", key: `release_id, day, "user"` },
  { table: "integrated_session_hour", key: "release_id, hour" },
  { table: "integrated_session_day", key: "day, release_id" },
  { table: "integrated_release", key: "id" },
  { table: "integrated_deletion_error", key: "deletion_id, error_id" },
  { table: "integrated_deletion", key: "id" },
  { table: "integrated_discard_hour", key: "discard_id, hour" },
  { table: "integrated_discard_sample", key: "discard_id, day" },
  { table: "integrated_discard", key: "id" },
  { table: "integrated_alias", key: "group_hash" },
  { table: "integrated_claim", key: "former_hash" },
  { table: "integrated_split", key: "group_hash" },
  { table: "integrated_version_1", key: "project_id" },
  { table: "integrated_untagged", key: "project_id" },
  { table: "integrated_new_error", key: "project_id" },
  { table: "integrated_usage", key: "project_id" },
];

/** See Storage.deleteProject. Deletes one slice per call. */
export function deleteProject(database: Kysely<Tables>, projectId: number, touched: TouchedTables): Promise<boolean> {
  return inBackground(async () => {
    for (const part of parts) {
      const { count, days } = await deleteSlice(database, projectId, part);
      for (const day of days) touched.day(day);
      if (count > 0) return false;
    }
    return true;
  });
}

/**
 * Deletes some rows of a part. Returns their number, or 0 if none is left, and the days of receipt of partitioned rows.
 */
function deleteSlice(
  database: Kysely<Tables>,
  projectId: number,
  { table, key, usage = "0, 0, 0" }: Part,
): Promise<{ readonly count: number; readonly days: readonly number[] }> {
  const days = key === "event_row_id" ? sql`json_agg(distinct event_row_id >> 37)::text` : sql`null`;
  return database.transaction().execute(async (transaction) => {
    // Skips rows that another transaction has locked, such as another process with the same work.
    const { rows } = await sql<{ count: number; less: string; days: string | null }>`
      with gone as (
        delete from ${sql.table(table)} where project_id = ${projectId} and (${sql.raw(key)}) in (
          select ${sql.raw(key)} from ${sql.table(table)} where project_id = ${projectId}
          limit ${sliceRows} for update skip locked)
        returning *
      )
      select count(*) as count, jsonb_build_array(${sql.raw(usage)})::text as less, ${days} as days
      from gone`.execute(transaction);
    const { count = 0, less = "[]" } = rows[0] ?? {};
    if (count > 0 && less !== "[0, 0, 0]") {
      await addUsage(
        transaction,
        sql`select ${projectId}::bigint, (j ->> 0)::bigint, (j ->> 1)::bigint, (j ->> 2)::bigint
          from (select ${less}::jsonb as j) as gone`,
      );
    }
    return { count, days: JSON.parse(rows[0]?.days ?? "[]") as number[] };
  });
}
