import type { MessageInitShape } from "@bufbuild/protobuf";
import { millisecondsOf, pageSizeOf, pageToken, readPageToken } from "@faultline/plugin";
import type { ListDeploysRequest, ListDeploysResponseSchema } from "@faultline/proto";
import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";
import { deploysOf, deployToProto } from "./release-record.ts";

/** A page of a project's deploys, the one that finished last first. */
export async function listDeploys(
  tables: Kysely<Tables>,
  projectId: number,
  request: ListDeploysRequest,
): Promise<MessageInitShape<typeof ListDeploysResponseSchema>> {
  const { version, startTime } = request;
  const from = startTime ? millisecondsOf(startTime) : 0;
  const list = `deploys ${projectId} ${version} ${from}`;
  const place = readPageToken(list, request.pageToken, ["number", "number"]);
  const size = pageSizeOf(request);
  let query = deploysOf(tables).where("deploy.project_id", "=", projectId);
  if (version !== "") query = query.where("record.version", "=", version);
  if (from > 0) query = query.where("deploy.finished_at", ">=", from);
  if (place) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("deploy.finished_at", "deploy.id"), "<", tuple(place[0], place[1])),
    );
  }
  const rows = await query
    .orderBy("deploy.finished_at", "desc")
    .orderBy("deploy.id", "desc")
    .limit(size + 1)
    .execute();
  const shown = rows.slice(0, size);
  const last = shown.at(-1);
  return {
    deploys: shown.map(deployToProto),
    nextPageToken: rows.length > size && last ? pageToken(list, [Number(last.finished_at), Number(last.id)]) : "",
  };
}
