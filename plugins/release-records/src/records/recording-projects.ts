import { timestamp, type Host } from "@faultline/plugin";
import { Permission } from "@faultline/proto";
import type { Tables } from "../tables.ts";

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
