import type { Host } from "@faultline/plugin";
import type { Event, Frame } from "@faultline/proto";
import { parsedEvent } from "@faultline/sentry-event";
import type { BlobReader } from "../blobs/blob-reader.ts";
import { EventBudget, readAtMost } from "../events/event-budget.ts";
import { framesOf } from "../events/frames.ts";
import { noteUse } from "../events/note-use.ts";
import { mappingOf } from "../events/mapped-frames.ts";
import { readSentEvent } from "../events/sent-event.ts";
import { uploadsOf } from "../events/uploads-of.ts";
import type { Unmapped } from "../events/verdicts.ts";
import { javaVerdicts } from "./java-verdicts.ts";
import type { MappingRecords, ObfuscatedName } from "./look-up-mapping.ts";
import { hasMappings, mappingsOf, recordsOf } from "./mappings-of-event.ts";
import { classOf, mayBeObfuscated, looksObfuscated } from "./obfuscated-names.ts";
import { inlinedCount, retrace } from "./retrace.ts";
import { shownFrames, shownType } from "./shown-frames.ts";

/** Inlined calls that are shown of an event beside its frames, so that its answer stays small: who sends it chooses the lines. */
const mostInlined = 1_000;

/**
 * Shows the frames of an event of Java or Kotlin with the names and lines of the source, where the mapping that it names is here, and says
 * of the others why not. Fails with `callerLeft()` where the caller left.
 */
export async function mapJavaEvent(
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
