import type { Host } from "@faultline/plugin";
import { ArtifactBundleState } from "@faultline/proto";
import type { Tables } from "../tables.ts";

/** The uploads of a project: their number, and what is not in use yet. */
export interface Uploads {
  readonly count: number;
  readonly arePending: boolean;
  /** Why the newest could not be used; undefined: it could. */
  readonly failure: string | undefined;
}

export async function uploadsOf({ database }: Host, projectId: number): Promise<Uploads> {
  const rows = await database
    .read<Tables>()
    .selectFrom("source_bundle")
    .select(["state", ({ fn }) => fn.countAll<number>().as("count")])
    .where("project_id", "=", projectId)
    .groupBy("state")
    .execute();
  const newest = await database
    .read<Tables>()
    .selectFrom("source_bundle")
    .select(["state", "detail"])
    .where("project_id", "=", projectId)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return {
    count: rows.reduce((sum, { count }) => sum + Number(count), 0),
    arePending: rows.some(({ state }) => state === ArtifactBundleState.CREATED),
    failure: newest?.state === ArtifactBundleState.ERROR ? newest.detail : undefined,
  };
}
