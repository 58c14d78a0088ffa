import type { Host, KeptBytes } from "@faultline/plugin";
import type { Tables } from "../tables.ts";

/**
 * The bytes that each project keeps. A content that several of its bundles have is stored once for the project, and counts once, until
 * the last of them is gone; projects share none. Chunks are of a person, and count for no project: see `chunksOfUser`.
 */
export async function usage({ database }: Host): Promise<KeptBytes[]> {
  const rows = await database.read<Tables>().selectFrom("source_kept").selectAll().where("bytes", ">", 0).execute();
  return rows.map(({ project_id, bytes }) => ({ projectId: Number(project_id), bytes: Number(bytes) }));
}

/** The same of one project. */
export async function keptBytes({ database }: Pick<Host, "database">, projectId: number): Promise<number> {
  const row = await database
    .read<Tables>()
    .selectFrom("source_kept")
    .select("bytes")
    .where("project_id", "=", projectId)
    .executeTakeFirst();
  return Number(row?.bytes ?? 0);
}
