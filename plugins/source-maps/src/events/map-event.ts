import type { Host } from "@faultline/plugin";
import type { Event, Frame } from "@faultline/proto";
import { parsedEvent } from "@faultline/sentry-event";
import { artifactsOf, debugIdOf, type OfEvent, nameOf, urlsOf, noteUse, uploadsOf, type Uploads } from "./artifacts.ts";
import { EventBudget, readAtMost, type Reading } from "./reading.ts";
import {
  addressOfFrame,
  fileKindOf,
  framesOf,
  looksMinified,
  mayBeMinified,
  withFrames,
  readSentEvent,
} from "./frames.ts";
import { mappedFrames, mappingOf, type Resolved } from "./mapped-frames.ts";
import { verdicts, type Unmapped } from "./verdicts.ts";
import type { Tables } from "../tables.ts";

/** Frames of an event that are mapped; further ones stay as they are. */
const mostFrames = 250;

/**
 * Shows the frames of an event as their sources if the maps are stored, and says of the others why not. In a project
 * without uploads, which may run the code as its authors wrote it, only surely minified frames get a reason. Fails with
 * `callerLeft()` if the caller left.
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

/** Files of a release among which the nearest to an address is looked for. */
const comparedFiles = 5_000;

/** Says why no upload has the file of a frame. Facts that an event's frames have in common are read once, because an event may have 250 frames. */
function reasonsOf(
  host: Host,
  { event, dist, uploads }: { event: Event; dist: string; uploads: Uploads },
): (frame: Frame, debugId: string | undefined) => Promise<Unmapped> {
  const { release, sdk } = event;
  let files: Promise<FilesOfRelease> | undefined;
  return async (frame, debugId) => {
    if (uploads.arePending) return verdicts.pending();
    if (uploads.failure !== undefined) return verdicts.bundleError(uploads.failure);
    if (debugId !== undefined) return verdicts.idUnknown(debugId);
    if (release === "")
      return isTooOld(sdk?.name, sdk?.version) ? verdicts.sdkTooOld(sdk?.version ?? "") : verdicts.notInjected();
    const { dists, urls } = await (files ??= filesOf(host, event, dist));
    if (dists.length === 0) return verdicts.releaseUnknown(release);
    if (!dists.includes(dist)) return verdicts.wrongDist(dist, dists);
    const address = addressOfFrame(frame);
    return verdicts.urlMismatch(urlsOf(address).at(-1) ?? address, urls.get(nameOf(address)));
  };
}

/** The uploads for a release. */
interface FilesOfRelease {
  readonly dists: readonly string[];
  /** The addresses of the files of the distribution by their last part. */
  readonly urls: ReadonlyMap<string, string>;
}

async function filesOf({ database }: Host, { projectId, release }: Event, dist: string): Promise<FilesOfRelease> {
  const read = database.read<Tables>();
  const bundles = await read
    .selectFrom("source_bundle")
    .select("dist")
    .distinct()
    .where("project_id", "=", projectId)
    .where("release", "=", release)
    .execute();
  const files = await read
    .selectFrom("source_artifact as artifact")
    .innerJoin("source_bundle as bundle", "bundle.id", "artifact.bundle_id")
    .select("artifact.url")
    .where("artifact.project_id", "=", projectId)
    .where("bundle.release", "=", release)
    .where("bundle.dist", "=", dist)
    .limit(comparedFiles)
    .execute();
  return {
    dists: bundles.map((bundle) => bundle.dist),
    urls: new Map(files.map(({ url }) => [nameOf(url), url])),
  };
}

/** Whether the SDK is one for browsers that is older than debug ids, 7.56. */
function isTooOld(name = "", version = ""): boolean {
  if (!name.startsWith("sentry.javascript.")) return false;
  const [, major = "", minor = ""] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  return major !== "" && (Number(major) < 7 || (Number(major) === 7 && Number(minor) < 56));
}
