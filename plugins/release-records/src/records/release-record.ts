import type { MessageInitShape } from "@bufbuild/protobuf";
import { ServiceError, timestamp } from "@faultline/plugin";
import { ErrorReason, type DeploySchema, type ReleaseRecordSchema } from "@faultline/proto";
import type { Kysely } from "kysely";
import type { DeployRow, RecordRow, Tables } from "../tables.ts";

/** The record of a release; undefined where it has none. */
export function findRecord(
  tables: Kysely<Tables>,
  { projectId, version }: { readonly projectId: number; readonly version: string },
): Promise<RecordRow | undefined> {
  return tables
    .selectFrom("release_record")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("version", "=", version)
    .executeTakeFirst();
}

/** The record of a release. Refuses with RELEASE_RECORD_NOT_FOUND where it has none. */
export async function recordOf(...asked: Parameters<typeof findRecord>): Promise<RecordRow> {
  const found = await findRecord(...asked);
  if (found) return found;
  throw new ServiceError(
    ErrorReason.RELEASE_RECORD_NOT_FOUND,
    "This release is not recorded in the project. Record it with `sentry-cli releases new`, or see docs/releases.md.",
  );
}

/** Records as messages, each with its last deploy. */
export async function recordsToProto(
  tables: Kysely<Tables>,
  rows: readonly RecordRow[],
): Promise<MessageInitShape<typeof ReleaseRecordSchema>[]> {
  return Promise.all(
    rows.map(async (row) => {
      const deploy = await deploysOf(tables)
        .where("deploy.release_id", "=", row.id)
        .orderBy("deploy.finished_at", "desc")
        .orderBy("deploy.id", "desc")
        .limit(1)
        .executeTakeFirst();
      return {
        version: row.version,
        projectId: Number(row.project_id),
        url: row.url,
        ref: row.ref,
        createdTime: timestamp(Number(row.created_at)),
        ...(row.started_at !== null && { startedTime: timestamp(Number(row.started_at)) }),
        ...(row.released_at !== null && { releasedTime: timestamp(Number(row.released_at)) }),
        commitCount: Number(row.commit_count),
        ...(deploy && { lastDeploy: deployToProto(deploy) }),
      };
    }),
  );
}

/** Deploys with the names of their releases. */
export const deploysOf = (tables: Kysely<Tables>) =>
  tables
    .selectFrom("release_deploy as deploy")
    .innerJoin("release_record as record", "record.id", "deploy.release_id")
    .selectAll("deploy")
    .select("record.version");

export const deployToProto = (row: DeployRow): MessageInitShape<typeof DeploySchema> => ({
  deployId: Number(row.id),
  version: row.version,
  environment: row.environment,
  name: row.name,
  url: row.url,
  ...(row.started_at !== null && { startedTime: timestamp(Number(row.started_at)) }),
  finishedTime: timestamp(Number(row.finished_at)),
});
