import { type Database, dayMs, type Host } from "@faultline/plugin";
import { ArtifactBundleState } from "@faultline/proto";
import type { ArtifactKind, Tables } from "../tables.ts";
import { addressOfFrame, type FileOfFrame } from "./frames.ts";

/** A minified file of an upload. */
export interface Artifact {
  readonly id: number;
  readonly bundleId: number;
  readonly url: string;
  readonly kind: ArtifactKind;
  readonly indexBlobId: number | null;
  readonly sourcesBlobId: number | null;
  readonly usedAt: number | null;
  /** Why its map was refused. */
  readonly detail: string;
}

/** Artifacts that are read for an event, the newest first: some builds have the same debug ids for years. */
const mostArtifacts = 5_000;

/** Bundles that are searched for artifacts: all in use, or the bundles by which events are grouped. */
export type Among = "all" | "grouping";

const select = (database: Database, among: Among) =>
  database
    .read<Tables>()
    .selectFrom("source_artifact as artifact")
    .innerJoin("source_bundle as bundle", "bundle.id", "artifact.bundle_id")
    .where("bundle.state", "=", ArtifactBundleState.OK)
    .$if(among === "grouping", (query) => query.where("bundle.groups_since", "is not", null))
    .select([
      "artifact.id",
      "artifact.bundle_id",
      "artifact.url",
      "artifact.kind",
      "artifact.index_blob_id",
      "artifact.sources_blob_id",
      "artifact.detail",
      "bundle.used_at",
      "bundle.release",
    ])
    .orderBy("artifact.bundle_id", "desc")
    .limit(mostArtifacts);

/** An event's facts about the files of its stacks, and the uploads to search. */
export interface OfEvent {
  readonly projectId: number;
  readonly release: string;
  readonly dist: string;
  /** By address. */
  readonly debugIds: ReadonlyMap<string, string>;
  readonly among: Among;
}

/** The artifacts of the files of frames. */
export interface Artifacts {
  readonly of: (frame: FileOfFrame) => Artifact | undefined;
  readonly all: readonly Artifact[];
}

/** The artifacts of the minified files of an event: by the debug id that it names for a file, otherwise by release and address. */
export async function artifactsOf(
  database: Database,
  event: OfEvent,
  frames: readonly FileOfFrame[],
): Promise<Artifacts> {
  const ids = [...new Set(frames.flatMap((frame) => debugIdOf(event, frame) ?? []))];
  const urls = [...new Set(frames.flatMap((frame) => urlsOf(addressOfFrame(frame))))];
  const [byId, byUrl] = await Promise.all([
    artifactsByDebugId(database, event, ids),
    artifactsByUrl(database, event, urls),
  ]);
  return {
    of(frame) {
      const id = debugIdOf(event, frame);
      const found = id === undefined ? undefined : byId.get(id);
      if (found) return found;
      for (const url of urlsOf(addressOfFrame(frame))) {
        const artifact = byUrl.get(url);
        if (artifact) return artifact;
      }
      return undefined;
    },
    all: [...byId.values(), ...byUrl.values()],
  };
}

/** The debug id that an event names for the file of a frame. */
export const debugIdOf = ({ debugIds }: Pick<OfEvent, "debugIds">, frame: FileOfFrame): string | undefined =>
  debugIds.get(addressOfFrame(frame)) ?? debugIds.get(frame.filename);

type Row = Awaited<ReturnType<ReturnType<typeof select>["execute"]>>[number];

const ofRow = (row: Row): Artifact => ({
  id: Number(row.id),
  bundleId: Number(row.bundle_id),
  url: row.url,
  kind: row.kind,
  indexBlobId: row.index_blob_id === null ? null : Number(row.index_blob_id),
  sourcesBlobId: row.sources_blob_id === null ? null : Number(row.sources_blob_id),
  usedAt: row.used_at === null ? null : Number(row.used_at),
  detail: row.detail,
});

/**
 * The artifacts of a project by debug id: of several that with a map, of the event's release, the newest, in this order. Builds
 * by @sentry/vite-plugin 5.4 have the same debug id for each release, with other columns.
 */
async function artifactsByDebugId(
  database: Database,
  { projectId, release, among }: OfEvent,
  debugIds: readonly string[],
): Promise<ReadonlyMap<string, Artifact>> {
  if (debugIds.length === 0) return new Map();
  const rows = await select(database, among)
    .innerJoin("source_debug_id as debug", "debug.artifact_id", "artifact.id")
    .select("debug.debug_id")
    .where("debug.project_id", "=", projectId)
    .where("debug.debug_id", "in", debugIds.map(bytesOfDebugId))
    .execute();
  const ofRelease = rows.toSorted((a, b) => Number(b.release === release) - Number(a.release === release));
  return best(ofRelease.map((row) => [textOfDebugId(row.debug_id), ofRow(row)] as const));
}

/** The artifacts of a release and distribution by address. */
async function artifactsByUrl(
  database: Database,
  { projectId, release, dist, among }: OfEvent,
  urls: readonly string[],
): Promise<ReadonlyMap<string, Artifact>> {
  if (urls.length === 0 || release === "") return new Map();
  const rows = await select(database, among)
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

/**
 * The addresses under which a release may have a file, the likeliest first: whole, without its query, and with `~` in
 * place of scheme and host, as Sentry's tools write them.
 */
export function urlsOf(address: string): string[] {
  const whole = address.replace(/#.*$/s, "");
  const bare = whole.replace(/\?.*$/s, "");
  const parsed = URL.parse(whole);
  const isRemote = parsed !== null && parsed.host !== "";
  const short = isRemote
    ? [`~${parsed.pathname}${parsed.search}`, `~${parsed.pathname}`]
    : [`~/${bare.replace(/^(?:app:\/\/)?\/*/, "")}`];
  return [...new Set([whole, bare, ...short])];
}

/** The last part of an address. */
export const nameOf = (address: string) =>
  address
    .replace(/[?#].*$/s, "")
    .split(/[\\/]/)
    .at(-1) ?? "";

type UsedArtifact = Pick<Artifact, "bundleId" | "usedAt">;

/**
 * Notes once a day that bundles are used, because bundles that map nothing are deleted. Nobody waits for it: events are also read while
 * the database takes no writes.
 */
export function noteUse(host: Host, artifacts: readonly UsedArtifact[]): void {
  write(host, artifacts).catch((error: unknown) =>
    host.log.warn({ err: error }, "the use of source maps could not be noted"),
  );
}

async function write({ database, clock }: Host, artifacts: readonly UsedArtifact[]): Promise<void> {
  const now = clock.now();
  const due = new Set(
    artifacts.filter(({ usedAt }) => usedAt === null || usedAt < now - dayMs).map(({ bundleId }) => bundleId),
  );
  if (due.size === 0) return;
  await database
    .write<Tables>()
    .updateTable("source_bundle")
    .set({ used_at: now })
    .where("id", "in", [...due])
    .execute();
}

/** The uploads of a project: their number, and what is not in use yet. */
export interface Uploads {
  readonly count: number;
  readonly arePending: boolean;
  /** Why the newest could not be used; undefined if it could. */
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
