import { ArtifactBundleState } from "@faultline/proto";
import type { Database } from "@faultline/plugin";
import type { ArtifactKind, Tables } from "../tables.ts";

/** A minified file of an upload. */
export interface Artifact {
  readonly id: number;
  readonly bundleId: number;
  readonly url: string;
  readonly kind: ArtifactKind;
  readonly indexBlobId: number | null;
  readonly sourcesBlobId: number | null;
  readonly usedAt: number | null;
}

/** Artifacts that are read for an event, the newest first: some builds have the same debug ids for years. */
const mostArtifacts = 5_000;

const select = (database: Database) =>
  database
    .read<Tables>()
    .selectFrom("source_artifact as artifact")
    .innerJoin("source_bundle as bundle", "bundle.id", "artifact.bundle_id")
    .where("bundle.state", "=", ArtifactBundleState.OK)
    .select([
      "artifact.id",
      "artifact.bundle_id",
      "artifact.url",
      "artifact.kind",
      "artifact.index_blob_id",
      "artifact.sources_blob_id",
      "bundle.used_at",
      "bundle.release",
    ])
    .orderBy("artifact.bundle_id", "desc")
    .limit(mostArtifacts);

type Row = Awaited<ReturnType<ReturnType<typeof select>["execute"]>>[number];

const ofRow = (row: Row): Artifact => ({
  id: Number(row.id),
  bundleId: Number(row.bundle_id),
  url: row.url,
  kind: row.kind,
  indexBlobId: row.index_blob_id === null ? null : Number(row.index_blob_id),
  sourcesBlobId: row.sources_blob_id === null ? null : Number(row.sources_blob_id),
  usedAt: row.used_at === null ? null : Number(row.used_at),
});

/**
 * The artifacts of a project by debug id: of several that with a map, of the event's release, the newest, in this order. Builds
 * by @sentry/vite-plugin 5.4 have the same debug id for each release, with other columns.
 */
export async function artifactsByDebugId(
  database: Database,
  { projectId, release, debugIds }: { projectId: number; release: string; debugIds: readonly string[] },
): Promise<ReadonlyMap<string, Artifact>> {
  if (debugIds.length === 0) return new Map();
  const rows = await select(database)
    .innerJoin("source_debug_id as debug", "debug.artifact_id", "artifact.id")
    .select("debug.debug_id")
    .where("debug.project_id", "=", projectId)
    .where("debug.debug_id", "in", debugIds.map(bytesOfDebugId))
    .execute();
  const ofRelease = rows.toSorted((a, b) => Number(b.release === release) - Number(a.release === release));
  return best(ofRelease.map((row) => [textOfDebugId(row.debug_id), ofRow(row)] as const));
}

/** The artifacts of a release and distribution by address. */
export async function artifactsByUrl(
  database: Database,
  { projectId, release, dist, urls }: { projectId: number; release: string; dist: string; urls: readonly string[] },
): Promise<ReadonlyMap<string, Artifact>> {
  if (urls.length === 0 || release === "") return new Map();
  const rows = await select(database)
    .where("artifact.project_id", "=", projectId)
    .where("artifact.url", "in", urls)
    .where("bundle.release", "=", release)
    .where("bundle.dist", "=", dist)
    .execute();
  return best(rows.map((row) => [row.url, ofRow(row)] as const));
}

function best(entries: readonly (readonly [string, Artifact])[]): ReadonlyMap<string, Artifact> {
  const found = new Map<string, Artifact>();
  for (const [key, artifact] of entries) {
    const known = found.get(key);
    if (!known || (known.kind !== "mapped" && artifact.kind === "mapped")) found.set(key, artifact);
  }
  return found;
}

/** Debug ids are stored as the 16 bytes of their UUID. */
export const bytesOfDebugId = (id: string) => Buffer.from(id.replaceAll("-", ""), "hex");

function textOfDebugId(bytes: Buffer): string {
  const digits = bytes.toString("hex");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
