import type { Host } from "@faultline/plugin";
import type { Event, Frame } from "@faultline/proto";
import { parsedEvent } from "@faultline/sentry-event";
import { artifactsOf, debugIdOf, type OfEvent } from "./artifacts.ts";
import { EventBudget, readAtMost } from "./event-budget.ts";
import { addressOfFrame, fileKindOf, framesOf, looksMinified, mayBeMinified, withFrames } from "./frames.ts";
import { mappedFrames, mappingOf, type Resolved } from "./mapped-frames.ts";
import { noteUse } from "./note-use.ts";
import type { Reading } from "./reading.ts";
import { readSentEvent } from "./sent-event.ts";
import { uploadsOf } from "./uploads-of.ts";
import { verdicts } from "./verdicts.ts";
import { reasonsOf } from "./why-unmapped.ts";

/** Frames of an event that are mapped; further ones stay as they are. */
const mostFrames = 250;

/**
 * Shows the frames of an event as their sources, where the maps are here, and says of the others why not. In a project
 * without uploads, whose code may be what its authors wrote, it says so of frames that are surely minified. Fails with
 * `callerLeft()` where the caller left.
 */
export async function mapEvent(
  { host, reading }: { readonly host: Host; readonly reading: Reading },
  event: Event,
  signal?: AbortSignal,
): Promise<Event> {
  if (!mayBeMinified(event)) return event;
  const frames = framesOf(event).slice(0, mostFrames);
  const { dist, debugIds } = readSentEvent(parsedEvent(event.payloadJson));
  const kinds = new Map(frames.map((frame) => [frame, fileKindOf(frame, debugIds)]));
  if ([...kinds.values()].every((kind) => kind === "other")) return event;
  const uploads = await uploadsOf(host, event.projectId);
  if (uploads.count === 0) {
    const sourceMapping = mappingOf(verdicts.nothingUploaded(event.release));
    const isMinified = (frame: Frame) =>
      kinds.get(frame) === "built" && (debugIds.has(addressOfFrame(frame)) || looksMinified(frame));
    return withFrames(event, async (list) =>
      list.map((frame) => (isMinified(frame) ? { ...frame, sourceMapping } : frame)),
    );
  }
  const built = frames.filter((frame) => kinds.get(frame) === "built");
  const { database } = host;
  const { projectId, release } = event;
  const ofEvent: OfEvent = { projectId, release, dist, debugIds, among: "all" };
  const artifacts = await artifactsOf(database, ofEvent, built);
  const reasonOf = reasonsOf(host, { event, dist, uploads });
  const resolve = async (frame: Frame): Promise<Resolved> => {
    if (kinds.get(frame) === "source") return { unmapped: verdicts.alreadyMapped() };
    if (kinds.get(frame) === "evaluated") {
      return { unmapped: verdicts.invalidAbsPath(addressOfFrame(frame)) };
    }
    if (kinds.get(frame) !== "built") return {};
    if (frame.lineno === 0) return { unmapped: verdicts.invalidLocation() };
    if (frame.colno === 0) return { unmapped: verdicts.noColumn() };
    const artifact = artifacts.of(frame);
    if (artifact?.kind === "source_only") return { unmapped: verdicts.sourceOnly(artifact.url) };
    if (artifact?.kind === "map_refused") return { unmapped: verdicts.mapRefused(artifact.url, artifact.detail) };
    if (artifact?.kind === "map_only") return { unmapped: verdicts.mapOnly(artifact.url) };
    if (artifact) return { artifact };
    return { unmapped: await reasonOf(frame, debugIdOf(ofEvent, frame)) };
  };
  const budget = new EventBudget(readAtMost.sources, signal);
  const mapped = await withFrames(event, async (list) =>
    mappedFrames(reading, list, { resolved: await Promise.all(list.map((frame) => resolve(frame))), budget }),
  );
  noteUse(host, artifacts.all);
  return mapped;
}
