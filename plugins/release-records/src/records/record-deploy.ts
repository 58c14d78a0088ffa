import type { Host } from "@faultline/plugin";
import type { RecordDeployRequest } from "@faultline/proto";
import { limits } from "../limits.ts";
import type { DeployRow } from "../tables.ts";
import { putRecord, smallBytes } from "./put-record.ts";
import { readEnvironment, readName, readTime, readUrl, readVersion } from "./read-fields.ts";

/** Adds a deploy to a release, unless it has the same one, and deletes those beyond its limit. */
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
