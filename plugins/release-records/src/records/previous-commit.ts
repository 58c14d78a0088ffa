import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";
import { findRecord } from "./release-record.ts";

/** The newest commit of the last release with commits that was recorded before a release, or before now. */
export async function previousCommit(
  tables: Kysely<Tables>,
  of: { readonly projectId: number; readonly version: string },
): Promise<{ readonly version: string; readonly commitId: string; readonly repository: string } | undefined> {
  const record = await findRecord(tables, of);
  let earlier = tables
    .selectFrom("release_record as record")
    .innerJoin("release_commit as commit", "commit.release_id", "record.id")
    .select(["record.version", "commit.commit_id as commitId", "commit.repository"])
    .where("record.project_id", "=", of.projectId)
    .where("record.commit_count", ">", 0)
    .where("commit.position", "=", 0);
  if (record) earlier = earlier.where("record.id", "<", record.id);
  return earlier.orderBy("record.id", "desc").limit(1).executeTakeFirst();
}
