import type { MessageInitShape } from "@bufbuild/protobuf";
import { pageSizeOf, pageToken, readPageToken } from "@faultline/plugin";
import type { ListReleaseRecordsRequest, ListReleaseRecordsResponseSchema } from "@faultline/proto";
import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";
import { recordsToProto } from "./release-record.ts";

/** A page of a project's records, the one that was recorded last first. */
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
  const shown = rows.slice(0, size);
  const last = shown.at(-1);
  return {
    releaseRecords: await recordsToProto(tables, shown),
    nextPageToken: rows.length > size && last ? pageToken(list, [Number(last.id)]) : "",
  };
}
