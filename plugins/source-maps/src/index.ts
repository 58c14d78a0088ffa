import { contractVersion, hourMs, type Host, type HttpApiRoute, type Plugin, type Movable } from "@faultline/plugin";
import { operationsOf } from "@faultline/plugin/rest";
import { ArtifactBundleState, type Event, type Frame } from "@faultline/proto";
import { parsedEvent } from "@faultline/sentry-event";
import { BlobReader, LineIndexes } from "./blobs/read-blobs.ts";
import { coverageCalls } from "./events/read-coverage.ts";
import { mapEvent } from "./events/map-event.ts";
import { readingOf, type Reading, EventBudget, readAtMost } from "./events/reading.ts";
import { SourceGrouping } from "./grouping/grouping.ts";
import { MapCompiler } from "./mapping/compile-in-worker.ts";
import { usage, OldestUploads } from "./kept-uploads.ts";
import { migrations } from "./migrations/migrations.ts";
import * as rest from "./rest.ts";
import { uploadRoutes, type ProjectPathOf } from "./sentry/routes.ts";
import { sourceMapService } from "./source-map-service.ts";
import { BundleChanges, deleteOld } from "./uploads/bundle-changes.ts";
import { readUploads } from "./uploads/read-uploads.ts";
import type { Tables } from "./tables.ts";
import { deleteChunks } from "./uploads/stored-chunks.ts";
import { framesOf, readSentEvent } from "./events/frames.ts";
import { noteUse, uploadsOf } from "./events/artifacts.ts";
import { mappingOf } from "./events/mapped-frames.ts";
import type { Unmapped } from "./events/verdicts.ts";
import type { MappingRecords, ObfuscatedName } from "./proguard/look-up-mapping.ts";
import { hasMappings, mappingsOf, recordsOf } from "./proguard/mappings-of-event.ts";
import { classOf, mayBeObfuscated, looksObfuscated, inlinedCount, retrace } from "./proguard/retrace.ts";
import { shownFrames, shownType, javaVerdicts } from "./proguard/shown-frames.ts";

export { filesOf, isUploaded, type BuildFolder, checkBuild, writeBundle } from "./build.ts";
export { defaultBundleLimits } from "./bundle/bundle-error.ts";

/** How soon the chunks of an upload that was read are deleted. */
const readChunksEachMs = 5_000;

/** How soon an upload is read. */
const lookEachMs = 500;

interface Started {
  readonly host: Host;
  readonly blobs: BlobReader;
  readonly reading: Reading;
  readonly grouping: SourceGrouping;
}

/**
 * Source maps: builds upload minified files with their maps, or the mappings of ProGuard and R8, and stack traces of the integrated
 * backend show the sources.
 * `sentryRoutes`: the addresses by which Sentry's tools upload; they name projects by slugs, of which `projectPathOf` finds the path.
 */
export function sourceMaps({
  projectPathOf,
}: {
  projectPathOf: ProjectPathOf;
}): Plugin & { readonly sentryRoutes: readonly HttpApiRoute[] } {
  let started: Started | undefined;
  const compiler = new MapCompiler();
  const changes = new BundleChanges();
  const stopping = new AbortController();
  const oldest = new OldestUploads();
  return {
    name: "source-maps",
    contract: contractVersion,
    migrations,
    movable,
    keeps: { usage, evict: (host, projectId) => oldest.evict(host, projectId) },
    services: [sourceMapService(changes)],
    rest: operationsOf(rest),
    calls: coverageCalls,
    sentryRoutes: uploadRoutes(projectPathOf),
    async showEvent(event, signal) {
      if (!started) return event;
      return event.platform === "java" ? mapJavaEvent(started, event, signal) : mapEvent(started, event, signal);
    },
    readHeads: (events) => started?.grouping.readHeads(events) ?? events,
    async start(host) {
      const blobs = new BlobReader(host.database);
      const stored = { host, blobs, lines: new LineIndexes({ host, blobs }) };
      const grouping = new SourceGrouping(stored);
      await grouping.start();
      changes.hear(host.database.announcements);
      started = { host, blobs, reading: readingOf(stored), grouping };
      let deletedAt = Number.NEGATIVE_INFINITY;
      const betweenBundles = async (ending: AbortSignal) => {
        await grouping.useNewMaps(ending);
        if (host.clock.now() - deletedAt < hourMs) return;
        deletedAt = host.clock.now();
        await deleteOld(host, ending);
        await grouping.changed();
      };
      // One task, so that no content is deleted that an upload is about to use.
      const work = (signal: AbortSignal) => {
        const ending = AbortSignal.any([signal, stopping.signal]);
        return readUploads({ host, compiler, changes }, () => betweenBundles(ending), ending);
      };
      host.scheduler.every(lookEachMs, "read source maps", work, { alone: true });
      const deleteRead = (signal: AbortSignal) => deleteReadChunks(host, signal);
      host.scheduler.every(readChunksEachMs, "delete chunks of uploads that were read", deleteRead, { alone: true });
    },
    async stop() {
      stopping.abort(); // an upload that is being read is read again at the next start
      await compiler.stop();
    },
  };
}

/** Chunks and pages of contents are large: few are read together. */
const rowsAtOnce = 20;

/** How a move to PostgreSQL copies the plugin's tables. */
const movable: Movable = {
  tables: [
    { name: "source_chunk", key: ["user_id", "sha1"], refersToCore: true, rowsAtOnce },
    { name: "source_chunk_sum", key: ["user_id"], refersToCore: true },
    { name: "source_bundle", key: ["id"], refersToCore: true },
    { name: "source_artifact", key: ["id"], refersToCore: true },
    { name: "source_debug_id", key: ["project_id", "debug_id", "artifact_id"], refersToCore: true },
    { name: "source_blob", key: ["id"], refersToCore: true },
    { name: "source_blob_page", key: ["blob_id", "page"], refersToCore: true, rowsAtOnce },
    { name: "source_blob_lines", key: ["blob_id"], refersToCore: true, rowsAtOnce },
    { name: "source_blob_use", key: ["artifact_id", "blob_id"], refersToCore: true },
  ],
  // Its triggers on PostgreSQL add it up from what is copied.
  otherTables: { sqlite: ["source_kept"], postgresql: ["source_kept"] },
};

/** Bundles with chunks that are deleted in one run. */
const bundlesAtOnce = 20;

/** A call that names several projects notes a bundle for each, one after the other, of the same chunks. */
const graceMs = 10_000;

/**
 * Deletes the chunks of bundles that were read, so that a person's room for chunks serves the bundles under way. A chunk that
 * another bundle waits for stays. The bundle forgets their names, which take up to 22 kB.
 */
async function deleteReadChunks({ database, clock }: Host, signal: AbortSignal): Promise<void> {
  const read = await database
    .read<Tables>()
    .selectFrom("source_bundle")
    .select(["id", "user_id", "chunks"])
    .where("state", "=", ArtifactBundleState.OK)
    .where("chunks", "<>", "[]")
    .where("created_at", "<", clock.now() - graceMs)
    .limit(bundlesAtOnce)
    .execute();
  for (const { id, user_id, chunks } of read) {
    if (signal.aborted) return;
    if (user_id !== null) {
      const awaited = await awaitedChunks(database, user_id);
      const unneeded = chunkNames(chunks).filter((sha1) => !awaited.has(sha1));
      await deleteChunks(database, user_id, { sha1s: unneeded.map((sha1) => Buffer.from(sha1, "hex")), signal });
    }
    await database.write<Tables>().updateTable("source_bundle").set({ chunks: "[]" }).where("id", "=", id).execute();
  }
}

/** The chunks of bundles of a user that are not read yet. */
async function awaitedChunks(database: Host["database"], userId: number): Promise<ReadonlySet<string>> {
  const waiting = await database
    .read<Tables>()
    .selectFrom("source_bundle")
    .select("chunks")
    .where("user_id", "=", userId)
    .where("state", "=", ArtifactBundleState.CREATED)
    .execute();
  return new Set(waiting.flatMap(({ chunks }) => chunkNames(chunks)));
}

const chunkNames = (chunks: string) => JSON.parse(chunks) as string[]; // as the plugin stored it

/** Inlined calls that are shown of an event in addition to its frames. The bound keeps the answer small, because the sender chooses the lines. */
const mostInlined = 1_000;

/**
 * Shows the frames of an event of Java or Kotlin with the names and lines of the source if the mapping that it names is stored, and says
 * of the others why not. Fails with `callerLeft()` if the caller left.
 */
async function mapJavaEvent(
  { host, blobs }: { readonly host: Host; readonly blobs: BlobReader },
  event: Event,
  signal?: AbortSignal,
): Promise<Event> {
  const { mappingIds } = readSentEvent(parsedEvent(event.payloadJson));
  const frames = framesOf(event); // at most 1,000: each block of an index is read once for all
  if (mappingIds.length === 0) {
    const isObfuscated = frames.some(looksObfuscated) && (await hasMappings(host.database, event.projectId));
    return isObfuscated ? withReason(event, looksObfuscated, javaVerdicts.noId()) : event;
  }
  const uploads = await uploadsOf(host, event.projectId);
  const mappings = await mappingsOf(host.database, event.projectId, mappingIds);
  const [newest] = mappings;
  if (!newest) return withReason(event, mayBeObfuscated, javaVerdicts.unknown(mappingIds, uploads));
  const budget = new EventBudget(readAtMost.mappings, signal);
  const thrown = event.exceptions.map((exception) => ({ className: classOf(exception) }));
  const names = [...thrown, ...frames.toReversed().map(nameOf)]; // the newest calls come first where not all can be read
  const records = await recordsOf(blobs, mappings, { names, budget }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    host.log.error({ err: error }, "a stored mapping could not be read");
    return undefined;
  });
  if (!records) return withReason(event, mayBeObfuscated, javaVerdicts.storageLost());
  // Nobody waits for it: events are also read while the database takes no writes.
  noteUse(host, mappings);
  return retraced(event, { records, budget, bundleId: newest.bundleId });
}

async function retraced(
  event: Event,
  { records, budget, bundleId }: { records: MappingRecords; budget: EventBudget; bundleId: number },
): Promise<Event> {
  let room = mostInlined;
  const shown = async (frames: readonly Frame[], thrown?: string) => {
    await budget.next();
    const result = retrace(records, { frames, ...(thrown !== undefined && { thrown }) }, room);
    room -= inlinedCount(result);
    return shownFrames(frames, result, { ...records, bundleId });
  };
  const exceptions: Event["exceptions"] = [];
  for (const exception of event.exceptions) {
    const frames = await shown(exception.frames, classOf(exception));
    exceptions.push({ ...shownType(exception, records.classOf(classOf(exception))), frames });
  }
  const threads: Event["threads"] = [];
  for (const thread of event.threads) threads.push({ ...thread, frames: await shown(thread.frames) });
  return { ...event, exceptions, threads };
}

/** The event with a reason at the frames that it is about. */
function withReason(event: Event, isAbout: (frame: Frame) => boolean, reason: Unmapped): Event {
  const marked = (frames: readonly Frame[]) =>
    frames.map((frame) => (isAbout(frame) ? { ...frame, sourceMapping: mappingOf(reason) } : frame));
  return {
    ...event,
    exceptions: event.exceptions.map((one) => ({ ...one, frames: marked(one.frames) })),
    threads: event.threads.map((one) => ({ ...one, frames: marked(one.frames) })),
  };
}

const nameOf = ({ module, function: method }: Frame): ObfuscatedName => ({ className: module, method });
