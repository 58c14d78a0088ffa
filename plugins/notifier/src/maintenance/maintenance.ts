import type { Kysely } from "kysely";
import type { MaintenanceRow, Tables } from "../tables.ts";

/** The window of a project that is running or will come. */
export function readMaintenance(
  tables: Kysely<Tables>,
  projectId: number,
  now: number,
): Promise<MaintenanceRow | undefined> {
  return tables
    .selectFrom("notifier_maintenance")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("ends_at", ">", now)
    .executeTakeFirst();
}

/** Whether a project is in its window. */
export async function inMaintenance(tables: Kysely<Tables>, projectId: number, now: number): Promise<boolean> {
  const window = await readMaintenance(tables, projectId, now);
  return window !== undefined && window.starts_at <= now;
}
