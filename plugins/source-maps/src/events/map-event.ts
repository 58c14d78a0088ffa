import { dayMs, type Host } from "@faultline/plugin";
import type { Event, Frame } from "@faultline/proto";
import type { BlobReader } from "../blobs/blob-reader.ts";
import type { Tables } from "../tables.ts";
import { artifactsByDebugId, artifactsByUrl, type Artifact } from "./artifacts.ts";
import { urlsOf } from "./file-urls.ts";
import { addressOfFrame, fileKindOf, framesOf, mayBeMinified, withFrames } from "./frames.ts";
import { mappedFrames, readingOf, type Resolved } from "./mapped-frames.ts";
import { readSentEvent } from "./sent-event.ts";
import { uploadsOf } from "./uploads-of.ts";
import { verdicts } from "./verdicts.ts";
import { reasonsOf } from "./why-unmapped.ts";

/** Frames of an event that are mapped; further ones stay as they are. */
const mostFrames = 250;

/**
 * Shows the frames of an event as their sources, where the maps are here, and says of the others why not. A
 * project without uploads, such as one whose code is not minified, is left alone.
 */
export async function mapEvent(
  { host, blobs }: { readonly host: Host; readonly blobs: BlobReader },
  event: Event,
): Promise<Event> {
  if (!mayBeMinified(event)) return event;
  const frames = framesOf(event).slice(0, mostFrames);
  const { dist, debugIds } = readSentEvent(event.payloadJson);
  const kinds = new Map(frames.map((frame) => [frame, fileKindOf(frame, debugIds)]));
  if ([...kinds.values()].every((kind) => kind === "other")) return event;
  const uploads = await uploadsOf(host, event.projectId);
  if (uploads.count === 0) return event;
  const built = frames.filter((frame) => kinds.get(frame) === "built");
  const { database } = host;
  const { projectId, release } = event;
  const idOf = (frame: Frame) => debugIds.get(addressOfFrame(frame)) ?? debugIds.get(frame.filename);
  const ids = [...new Set(built.flatMap((frame) => idOf(frame) ?? []))];
  const urls = [...new Set(built.flatMap((frame) => urlsOf(addressOfFrame(frame))))];
  const [byId, byUrl] = await Promise.all([
    artifactsByDebugId(database, { projectId, release, debugIds: ids }),
    artifactsByUrl(database, { projectId, release, dist, urls }),
  ]);
  const artifactOf = (frame: Frame): Artifact | undefined => {
    const id = idOf(frame);
    const found = id === undefined ? undefined : byId.get(id);
    if (found) return found;
    for (const url of urlsOf(addressOfFrame(frame))) {
      const artifact = byUrl.get(url);
      if (artifact) return artifact;
    }
    return undefined;
  };
  const reasonOf = reasonsOf(host, { event, dist, uploads });
  const resolve = async (frame: Frame): Promise<Resolved> => {
    if (kinds.get(frame) === "source") return { unmapped: verdicts.alreadyMapped() };
    if (kinds.get(frame) === "evaluated") {
      return { unmapped: verdicts.invalidAbsPath(addressOfFrame(frame)) };
    }
    if (kinds.get(frame) !== "built") return {};
    if (frame.lineno === 0) return { unmapped: verdicts.invalidLocation() };
    if (frame.colno === 0) return { unmapped: verdicts.noColumn() };
    const artifact = artifactOf(frame);
    if (artifact?.kind === "source_only") return { unmapped: verdicts.sourceOnly(artifact.url) };
    if (artifact?.kind === "map_only") return { unmapped: verdicts.mapOnly(artifact.url) };
    if (artifact) return { artifact };
    return { unmapped: await reasonOf(frame, idOf(frame)) };
  };
  const reading = readingOf({ blobs, log: host.log });
  const mapped = await withFrames(event, async (list) =>
    mappedFrames(reading, list, await Promise.all(list.map((frame) => resolve(frame)))),
  );
  // Nobody waits for it: events are also read while the database takes no writes.
  void noteUse(host, [...byId.values(), ...byUrl.values()]).catch((error: unknown) =>
    host.log.warn({ err: error }, "the use of source maps could not be noted"),
  );
  return mapped;
}

/** Notes once a day that bundles are used, as those that map nothing are deleted. */
export async function noteUse(
  { database, clock }: Host,
  artifacts: readonly Pick<Artifact, "bundleId" | "usedAt">[],
): Promise<void> {
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
