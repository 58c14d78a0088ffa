import { hourMs } from "@faultline/plugin";
import type { Storage } from "../storage.ts";
import type { ErrorTable } from "../tables.ts";

/**
 * The newest release of the project when a person last set the status of an error, by the hour of its first session in
 * any environment. Empty: nobody set it, or no release had a session by then.
 */
export async function newestRelease(
  { read }: Storage,
  { project_id, status_changed_at }: Pick<ErrorTable, "project_id" | "status_changed_at">,
): Promise<string> {
  if (status_changed_at === null) return "";
  const newest = await read
    .selectFrom("integrated_release")
    .select(["version", ({ fn }) => fn.min("first_hour").as("hour")])
    .where("project_id", "=", project_id)
    .where("version", "<>", "")
    .groupBy("version")
    .having(({ fn }) => fn.min("first_hour"), "<=", Math.floor(status_changed_at / hourMs))
    .orderBy("hour", "desc")
    .orderBy(({ fn }) => fn.max("id"), "desc")
    .limit(1)
    .executeTakeFirst();
  return newest?.version ?? "";
}
