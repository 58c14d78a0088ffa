import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import type { GetPreviousCommitResponseSchema } from "@faultline/proto";
import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";
import { findRecord } from "./release-record.ts";

/** The newest commit of the last release with commits that was recorded before a release, or before now. */
export async function previousCommit(
  tables: Kysely<Tables>,
  of: { readonly projectId: number; readonly version: string },
): Promise<MessageInitShape<typeof GetPreviousCommitResponseSchema>> {
  const record = await findRecord(tables, of);
  let earlier = tables
    .selectFrom("release_record as record")
    .innerJoin("release_commit as commit", "commit.release_id", "record.id")
    .select(["record.version", "record.created_at", "commit.commit_id", "commit.repository"])
    .where("record.project_id", "=", of.projectId)
    .where("record.commit_count", ">", 0)
    .where("commit.position", "=", 0);
  if (record) earlier = earlier.where("record.id", "<", record.id);
  const found = await earlier.orderBy("record.id", "desc").limit(1).executeTakeFirst();
  if (!found) return {};
  const { version, commit_id: commitId, repository, created_at } = found;
  return { version, commitId, repository, createdTime: timestamp(Number(created_at)) };
}
