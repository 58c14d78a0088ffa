import { ArtifactBundleState } from "@faultline/proto";
import type { Database } from "@faultline/plugin";
import type { BlobReader } from "../blobs/read-blobs.ts";
import { bytesOfDebugId, type Among } from "../events/artifacts.ts";
import type { EventBudget } from "../events/reading.ts";
import type { Tables } from "../tables.ts";
import { lookUpMapping, type MappingRecords, type ObfuscatedName } from "./look-up-mapping.ts";

/** A mapping that is in use. */
export interface StoredMapping {
  readonly bundleId: number;
  readonly indexBlobId: number;
  readonly usedAt: number | null;
}

/** Mappings that have one of the ids. Several have the same id if uploads forced it. */
const mostMappings = 20;

const select = (database: Database, projectId: number) =>
  database
    .read<Tables>()
    .selectFrom("source_artifact as artifact")
    .innerJoin("source_bundle as bundle", "bundle.id", "artifact.bundle_id")
    .where("artifact.project_id", "=", projectId)
    .where("artifact.kind", "=", "proguard")
    .where("bundle.state", "=", ArtifactBundleState.OK);

export async function hasMappings(database: Database, projectId: number): Promise<boolean> {
  return (await select(database, projectId).select("artifact.id").limit(1).executeTakeFirst()) !== undefined;
}

/** The mappings of a project with one of these ids, the newest first. */
export async function mappingsOf(
  database: Database,
  projectId: number,
  ids: readonly string[],
  among: Among = "all",
): Promise<readonly StoredMapping[]> {
  const rows = await select(database, projectId)
    .$if(among === "grouping", (query) => query.where("bundle.groups_since", "is not", null))
    .innerJoin("source_debug_id as debug", "debug.artifact_id", "artifact.id")
    .select(["artifact.bundle_id", "artifact.index_blob_id", "bundle.used_at"])
    .where("debug.project_id", "=", projectId)
    .where("debug.debug_id", "in", ids.map(bytesOfDebugId))
    .orderBy("artifact.bundle_id", "desc")
    .limit(mostMappings)
    .execute();
  return rows.map((row) => ({
    bundleId: Number(row.bundle_id),
    indexBlobId: Number(row.index_blob_id),
    usedAt: row.used_at === null ? null : Number(row.used_at),
  }));
}

/**
 * The facts of mappings about names. If several know a class, the first counts. Fails with `callerLeft()`, and if a stored index
 * cannot be read.
 */
export async function recordsOf(
  blobs: BlobReader,
  mappings: readonly StoredMapping[],
  { names, budget }: { readonly names: readonly ObfuscatedName[]; readonly budget: EventBudget },
): Promise<MappingRecords> {
  const all: MappingRecords[] = [];
  const that = (className: string) => all.find((records) => records.classOf(className));
  for (const { indexBlobId } of mappings) {
    const unknown = names.filter(({ className }) => !that(className));
    if (unknown.length > 0) all.push(await lookUpMapping(await blobs.open(indexBlobId), unknown, budget));
  }
  return {
    classOf: (className) => that(className)?.classOf(className),
    rangesOf: (className, method) => that(className)?.rangesOf(className, method),
    isBeyondBudget: (className) => !that(className) && all.some((records) => records.isBeyondBudget(className)),
  };
}
