import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Host, millisecondsOf, pageOfRows, pageSizeOf, pageToken, readPageToken } from "@faultline/plugin";
import type { RecordDeployRequest, ListDeploysRequest, ListDeploysResponseSchema } from "@faultline/proto";
import type { Kysely } from "kysely";
import { limits } from "../limits.ts";
import type { DeployRow, Tables } from "../tables.ts";
import { putRecord, smallBytes } from "./put-record.ts";
import { readEnvironment, readName, readTime, readUrl, readVersion } from "./read-fields.ts";
import { deploysOf, deployToProto } from "./release-record.ts";

/** Adds a deploy to a release, unless it has the same deploy, and deletes deploys beyond its limit. */
export async function recordDeploy(
  host: Host,
  projectId: number,
  request: RecordDeployRequest,
): Promise<{ readonly deploy: DeployRow; readonly created: boolean }> {
  const version = readVersion(request.version);
  const fields = {
    environment: readEnvironment(request.environment),
    name: readName("name", request.name),
    url: readUrl(request.url),
    started_at: readTime("started_time", request.startedTime) ?? null,
    finished_at: readTime("finished_time", request.finishedTime) ?? host.clock.now(),
  };
  return putRecord(host, { projectId, version }, { bytes: smallBytes }, async (transaction, { row }) => {
    const known = await transaction
      .selectFrom("release_deploy")
      .selectAll()
      .where("release_id", "=", row.id)
      .where("environment", "=", fields.environment)
      .where("name", "=", fields.name)
      .where("finished_at", "=", fields.finished_at)
      .executeTakeFirst();
    if (known) return { deploy: { ...known, version }, created: false };
    const deploy = await transaction
      .insertInto("release_deploy")
      .values({ project_id: projectId, release_id: row.id, ...fields })
      .returningAll()
      .executeTakeFirstOrThrow();
    const kept = transaction
      .selectFrom("release_deploy")
      .select("id")
      .where("release_id", "=", row.id)
      .orderBy("finished_at", "desc")
      .orderBy("id", "desc")
      .limit(limits.deploys);
    await transaction
      .deleteFrom("release_deploy")
      .where("release_id", "=", row.id)
      .where("id", "not in", kept)
      .where("id", "<>", deploy.id)
      .execute();
    return { deploy: { ...deploy, version }, created: true };
  });
}

/** A page of a project's deploys; the last finished comes first. */
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
  const { page, nextPageToken } = pageOfRows(rows, size, (last) =>
    pageToken(list, [Number(last.finished_at), Number(last.id)]),
  );
  return {
    deploys: page.map(deployToProto),
    nextPageToken,
  };
}
