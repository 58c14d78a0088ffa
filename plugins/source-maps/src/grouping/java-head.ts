import type { Host } from "@faultline/plugin";
import type { ErrorEvent } from "@faultline/proto";
import { limits, readText, sentExceptions, withFramesOf, type JsonObject } from "@faultline/sentry-event";
import type { BlobReader } from "../blobs/blob-reader.ts";
import type { Among } from "../events/artifacts.ts";
import { EventBudget, readAtMost } from "../events/event-budget.ts";
import { noteUse } from "../events/note-use.ts";
import { readSentEvent } from "../events/sent-event.ts";
import { mappingsOf, recordsOf } from "../proguard/mappings-of-event.ts";
import { classOf } from "../proguard/obfuscated-names.ts";
import { retrace, type JavaFrame, type Retraced } from "../proguard/retrace.ts";

/** Frames of an event whose names are looked up, and calls that are inlined into them; more stay as they were sent. */
const most = { frames: 250, inlined: 250 };

/** The head of an event of Java or Kotlin by the names of its source; the event itself where no mapping has them. */
export async function javaHead(
  { host, blobs }: { readonly host: Host; readonly blobs: BlobReader },
  event: ErrorEvent,
  { sent, among }: { readonly sent: JsonObject; readonly among: Among },
): Promise<ErrorEvent> {
  const { mappingIds } = readSentEvent(sent);
  if (mappingIds.length === 0) return event;
  const mappings = await mappingsOf(host.database, event.projectId, mappingIds, among);
  if (mappings.length === 0) return event;
  noteUse(host, mappings);
  const exceptions = sentExceptions(sent).map((one) => ({
    ...one,
    className: classOf({ module: readText(one.sent["module"], limits.text.symbol), type: one.type }),
    stack: one.frames.map(frameOf),
  }));
  const names = exceptions.flatMap(({ className, stack }) => [
    { className },
    ...stack.map(({ module, function: method }) => ({ className: module, method })),
  ]);
  const budget = new EventBudget(readAtMost.mappings);
  const records = await recordsOf(blobs, mappings, { names: names.slice(0, most.frames), budget });
  let room = most.inlined;
  for (const { sent: exception, className, frames, stack } of exceptions) {
    await budget.next();
    const calls = retrace(records, { frames: stack, thrown: className }, room);
    const ofSource = frames.flatMap((frame, n) => sourceOf(frame, calls[n]));
    room -= ofSource.length - frames.length;
    exception["stacktrace"] = { frames: ofSource };
    const name = records.classOf(className)?.name;
    if (name === undefined) continue;
    const dot = name.lastIndexOf(".");
    exception["module"] = name.slice(0, Math.max(dot, 0));
    exception["type"] = name.slice(dot + 1);
  }
  return withFramesOf(event, sent);
}

/** A frame as the calls that it was in the source. */
function sourceOf(frame: JsonObject, retraced: Retraced | undefined): JsonObject[] {
  if (!retraced) return [frame];
  return retraced.calls.map(({ module, function: name, filename, isSynthesized }) => ({
    ...frame,
    module,
    function: name,
    filename,
    ...(isSynthesized && { in_app: false }),
  }));
}

const frameOf = (frame: JsonObject): JavaFrame => ({
  module: readText(frame["module"], limits.text.symbol),
  function: readText(frame["function"], limits.text.symbol),
  filename: readText(frame["filename"], limits.text.path),
  lineno: positiveNumber(frame["lineno"]),
});

/** A line or column as it was sent; 0: it is none. */
export function positiveNumber(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
