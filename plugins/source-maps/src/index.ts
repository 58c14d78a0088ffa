import { contractVersion, hourMs, type Host, type HttpApiRoute, type Plugin } from "@faultline/plugin";
import { BlobReader } from "./blobs/blob-reader.ts";
import { LineIndexes } from "./blobs/line-indexes.ts";
import { coverageCalls } from "./events/read-coverage.ts";
import { mapEvent } from "./events/map-event.ts";
import { readingOf, type Reading } from "./events/reading.ts";
import { SourceGrouping } from "./grouping/grouping.ts";
import { MapCompiler } from "./mapping/compile-in-worker.ts";
import { usage } from "./kept/kept-bytes.ts";
import { deleteReadChunks } from "./kept/read-chunks.ts";
import { OldestUploads } from "./kept/oldest-uploads.ts";
import { migrations } from "./migrations/migrations.ts";
import { movable } from "./movable.ts";
import { mapJavaEvent } from "./proguard/map-java-event.ts";
import type { ProjectPathOf } from "./sentry/project-key.ts";
import { deleteArtifactBundle, getSourceCoverage, listArtifactBundles } from "./rest.ts";
import { uploadRoutes } from "./sentry/routes.ts";
import { sourceMapService } from "./source-map-service.ts";
import { BundleChanges } from "./uploads/bundle-changes.ts";
import { deleteOld } from "./uploads/delete-old.ts";
import { readUploads } from "./uploads/read-uploads.ts";

export { filesOf, isUploaded, type BuildFolder } from "./build/build-folder.ts";
export { checkBuild } from "./build/check-build.ts";
export { writeBundle } from "./build/write-bundle.ts";
export { defaultBundleLimits } from "./bundle/bundle-limits.ts";

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
    rest: [listArtifactBundles, deleteArtifactBundle, getSourceCoverage],
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
