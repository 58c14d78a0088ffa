import { sql, type Kysely } from "kysely";
import { inBackground } from "../in-background.ts";
import type { Tables } from "../tables.ts";
import type { TouchedTables } from "./touched-tables.ts";

/** Few enough for a short transaction. */
const sliceRows = 500;

/** What belongs to a project, with the columns of its key after project_id: events first, and what they need last. */
const tables: readonly (readonly [table: string, key: string])[] = [
  ["integrated_payload", "event_row_id"],
  ["integrated_event", "id"],
  ["integrated_expired", "error_id, hour"],
  ["integrated_hour", "error_id, hour"],
  ["integrated_user", `error_id, "user"`],
  ["integrated_tag", "error_id, key, value"],
  ["integrated_error", "id"],
  ["integrated_feedback", "id"],
  ["integrated_receipt", "receipt"],
  ["integrated_session", "id"],
  ["integrated_session_user", `release_id, day, "user"`],
  ["integrated_session_hour", "release_id, hour"],
  ["integrated_release", "id"],
  ["integrated_deletion_error", "deletion_id, error_id"],
  ["integrated_deletion", "id"],
  ["integrated_discard_hour", "discard_id, hour"],
  ["integrated_discard_sample", "discard_id, day"],
  ["integrated_discard", "id"],
];

/** See Storage.deleteProject: one slice a call. */
export function deleteProject(database: Kysely<Tables>, projectId: number, touched: TouchedTables): Promise<boolean> {
  return inBackground(async () => {
    for (const [table, columns] of tables) {
      const key = sql.raw(columns);
      // Whoever locks one of these rows now, such as another process with the same work, need not be waited for.
      const { rows } = await sql<{ id: number | null }>`delete from ${sql.table(table)}
        where project_id = ${projectId} and (${key}) in (
          select ${key} from ${sql.table(table)} where project_id = ${projectId}
          limit ${sliceRows} for update skip locked)
        returning ${table === "integrated_payload" ? sql`event_row_id` : sql`null::bigint`} as id`.execute(database);
      for (const { id } of rows) if (id !== null) touched.event(id);
      if (rows.length > 0) return false;
    }
    return true;
  });
}
