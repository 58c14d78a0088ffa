import type { Host, ReadableProject } from "@faultline/plugin";
import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

type Parts = Pick<Host, "database" | "readers" | "clock">;

/** The projects in a person's inbox whose errors the person may read now, by id. */
export async function readableProjects(
  { database, readers }: Parts,
  userId: number,
): Promise<ReadonlyMap<number, ReadableProject>> {
  const rows = await database
    .read<Tables>()
    .selectFrom("notifier_inbox")
    .select("project_id")
    .distinct()
    .where("user_id", "=", userId)
    .execute();
  const projects = await readers.readable(
    userId,
    rows.map((row) => row.project_id),
  );
  return new Map(projects.map((project) => [project.projectId, project]));
}

/** The entries of a person that are shown now. `projectIds` are those of `readableProjects`. */
export const shownEntries = (
  tables: Kysely<Tables>,
  { userId, projectIds, now }: { userId: number; projectIds: Iterable<number>; now: number },
) =>
  tables
    .selectFrom("notifier_inbox")
    .where("user_id", "=", userId)
    .where("project_id", "in", [0, ...projectIds]) // a list may not be empty
    .where("due_at", "<=", now);

/** How many of a person's entries are unread. */
export async function unreadCount(parts: Parts, userId: number): Promise<number> {
  const projectIds = (await readableProjects(parts, userId)).keys();
  const { count } = await shownEntries(parts.database.read<Tables>(), { userId, projectIds, now: parts.clock.now() })
    .where("read_at", "is", null)
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}
