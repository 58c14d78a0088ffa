import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  ServiceError,
  timestamp,
  pageOfRows,
  pageSizeOf,
  pageToken,
  readPageToken,
  type Host,
} from "@faultline/plugin";
import {
  ErrorReason,
  type DeploySchema,
  type ReleaseRecordSchema,
  type ListReleaseRecordsRequest,
  type ListReleaseRecordsResponseSchema,
  Permission,
} from "@faultline/proto";
import type { Kysely } from "kysely";
import type { DeployRow, RecordRow, Tables } from "../tables.ts";

/** The record of a release; undefined if it has none. */
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

/** The record of a release. Refuses with RELEASE_RECORD_NOT_FOUND if it has none. */
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

/** A page of a project's records; the last recorded comes first. */
export async function listRecords(
  tables: Kysely<Tables>,
  projectId: number,
  request: ListReleaseRecordsRequest,
): Promise<MessageInitShape<typeof ListReleaseRecordsResponseSchema>> {
  const list = `release records ${projectId}`;
  const [before] = readPageToken(list, request.pageToken, ["number"]) ?? [];
  const size = pageSizeOf(request);
  let query = tables.selectFrom("release_record").selectAll().where("project_id", "=", projectId);
  if (before !== undefined) query = query.where("id", "<", before);
  const rows = await query
    .orderBy("id", "desc")
    .limit(size + 1)
    .execute();
  const { page, nextPageToken } = pageOfRows(rows, size, (last) => pageToken(list, [Number(last.id)]));
  return {
    releaseRecords: await recordsToProto(tables, page),
    nextPageToken,
  };
}

/** Records that are looked at: projects may use the same names of releases. */
const mostRecords = 1_000;
const mostProjects = 100;

/** The projects with a record of a release where a person may record releases, ordered by path. */
export async function recordingProjects({ database, readers }: Host, userId: number, version: string) {
  const records = await database
    .read<Tables>()
    .selectFrom("release_record")
    .select(["project_id", "created_at"])
    .where("version", "=", version)
    .orderBy("id", "desc")
    .limit(mostRecords)
    .execute();
  const recordedAt = new Map(records.map(({ project_id, created_at }) => [Number(project_id), Number(created_at)]));
  const projects = await readers.readable(userId, [...recordedAt.keys()]);
  return projects
    .filter(({ permissions }) => permissions.has(Permission.UPLOAD_SOURCE_MAPS))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
    .slice(0, mostProjects)
    .map(({ projectId, path }) => ({
      projectId,
      path,
      createdTime: timestamp(recordedAt.get(projectId) ?? 0),
    }));
}
