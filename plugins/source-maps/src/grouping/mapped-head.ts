import { hash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Host } from "@faultline/plugin";
import { BoundedMap } from "@faultline/plugin/flow";
import { PayloadEncoding, type ErrorEvent } from "@faultline/proto";
import {
  isFunctionName,
  parsedEvent,
  withFramesOf,
  type JsonObject,
  limits,
  readText,
  sentStacks,
  sentExceptions,
} from "@faultline/sentry-event";
import type { BlobReader } from "../blobs/read-blobs.ts";
import { artifactsOf, debugIdOf, type Among, type OfEvent, noteUse } from "../events/artifacts.ts";
import { addressOfFrame, mayBeMinified, fileKindOf, readSentEvent } from "../events/frames.ts";
import { placesOf, sourceLine, sourceOf, type Place, type Resolved } from "../events/mapped-frames.ts";
import { EventBudget, readAtMost, readingOf, type Reading, type Stored } from "../events/reading.ts";
import { mappingsOf, recordsOf } from "../proguard/mappings-of-event.ts";
import { classOf, retrace, type JavaFrame, type Retraced } from "../proguard/retrace.ts";

const decompress = promisify(gunzip);

/** The most that a payload decompresses to: an event has 1 MiB, and its envelope may hold others. */
const longestContent = 4 * 1024 * 1024;

/** The most stacks with remembered sources, and the most frames of such a stack: 18,000 frames take about 10 MB. */
const remembered = { stacks: 300, frames: 60 };

/** The fields of a frame that its source changes. */
type Change = Readonly<Record<"module" | "filename" | "abs_path" | "function" | "context_line", string>> & {
  readonly in_app: boolean;
};

/** Reads the heads of events as their sources have them. */
export class MappedHeads {
  readonly #host: Host;
  readonly #blobs: BlobReader;
  readonly #reading: Reading;
  /** By stack, because most events of a storm have the same. */
  readonly #changes = new BoundedMap<string, Promise<readonly (Change | undefined)[]>>(remembered.stacks);

  constructor(stored: Stored) {
    this.#host = stored.host;
    this.#blobs = stored.blobs;
    this.#reading = readingOf(stored);
  }

  /** For other maps than before. */
  forget(): void {
    this.#changes.clear();
  }

  /** The event itself if no map has its frames. */
  async of(event: ErrorEvent, among: Among): Promise<ErrorEvent> {
    const sent = parsedEvent(await textOf(event));
    if (mayBeMinified(event)) return this.#ofScript(event, { sent, among });
    return javaHead({ host: this.#host, blobs: this.#blobs }, event, { sent, among });
  }

  async #ofScript(event: ErrorEvent, { sent, among }: { sent: JsonObject; among: Among }): Promise<ErrorEvent> {
    const { dist, debugIds } = readSentEvent(sent);
    const stacks = builtFrames(sent, debugIds);
    const frames = stacks.flat();
    if (!frames.some(hasPosition)) return event;
    const { projectId, release } = event;
    const changes = await this.#changesOf({ projectId, release, dist, debugIds, among }, stacks);
    if (!changes.some((change) => change !== undefined)) return event;
    const hasOwnSource = changes.some((change) => change?.in_app === true);
    for (const [n, frame] of frames.entries()) {
      const change = changes[n];
      if (change) Object.assign(frame.sent, change);
      // Minified names differ with each build, so they do not count if there are names of sources.
      else if (hasOwnSource) frame.sent["in_app"] = false;
    }
    return withFramesOf(event, sent);
  }

  #changesOf(event: OfEvent, stacks: readonly (readonly BuiltFrame[])[]): Promise<readonly (Change | undefined)[]> {
    const key = keyOf(event, stacks);
    const known = this.#changes.get(key);
    if (known) return known;
    const changes = this.#read(event, stacks);
    if (stacks.flat().length <= remembered.frames) {
      this.#changes.set(key, changes);
      changes.catch(() => this.#changes.delete(key)); // it is read again; the caller has the error
    }
    return changes;
  }

  async #read(event: OfEvent, stacks: readonly (readonly BuiltFrame[])[]): Promise<(Change | undefined)[]> {
    const artifacts = await artifactsOf(this.#host.database, event, stacks.flat());
    noteUse(this.#host, artifacts.all);
    const budget = new EventBudget(readAtMost.sources);
    const changes: (Change | undefined)[] = [];
    for (const stack of stacks) {
      const resolved = stack.map((frame): Resolved => {
        const artifact = hasPosition(frame) ? artifacts.of(frame) : undefined;
        return artifact?.kind === "mapped" ? { artifact } : {};
      });
      const found = await placesOf(this.#reading, stack, { resolved, budget });
      const places = found.map((place) => (place && "found" in place ? place : undefined));
      changes.push(...(await this.#ofStack(stack, places, budget)));
    }
    return changes;
  }

  /** The changes of a stack. The newest own frame has its source line, by which grouping distinguishes places. */
  async #ofStack(
    stack: readonly BuiltFrame[],
    places: readonly (Place | undefined)[],
    budget: EventBudget,
  ): Promise<(Change | undefined)[]> {
    const sources = stack.map((frame, n) => {
      const place = places[n];
      return place && sourceOf(frame, place, isNamed(frame) ? places[n - 1]?.found.name : undefined);
    });
    const newest = sources.findLastIndex((source) => source?.inApp === true);
    const place = places[newest];
    const line = place ? await sourceLine(this.#reading, place, budget) : "";
    return sources.map(
      (source, n) =>
        source && {
          module: source.module,
          filename: source.filename,
          abs_path: source.absPath,
          function: source.function,
          context_line: n === newest ? line : "", // the line that was sent comes from the minified file
          in_app: source.inApp,
        },
    );
  }
}

/**
 * Whether the browser knows a name of a function. It has none if the source has none; what its caller calls it, such as
 * `callback`, is a name for people, because all callbacks share it: taken for a name, it would make them one error.
 */
const isNamed = ({ function: name }: BuiltFrame) => isFunctionName("javascript", name);

function keyOf(event: OfEvent, stacks: readonly (readonly BuiltFrame[])[]): string {
  const { projectId, release, dist, among } = event;
  const frames = stacks.map((stack) =>
    stack.map((frame) => [
      debugIdOf(event, frame) ?? "",
      addressOfFrame(frame),
      frame.function,
      frame.lineno,
      frame.colno,
    ]),
  );
  return hash("sha256", JSON.stringify([projectId, release, dist, among, frames]), "base64");
}

/** An event's JSON as it was sent. */
async function textOf({ payload, payloadEncoding, payloadOffset, payloadLength }: ErrorEvent): Promise<string> {
  const content =
    payloadEncoding === PayloadEncoding.GZIP
      ? await decompress(payload, { maxOutputLength: longestContent })
      : Buffer.from(payload.buffer, payload.byteOffset, payload.length);
  const end = payloadLength === 0 ? content.length : payloadOffset + payloadLength;
  return content.toString("utf8", payloadOffset, end);
}

/** Frames of an event that are looked up, as for an event that is shown. An event may have fifty stacks of 250. */
const mostFrames = 250;

/** A frame of minified code. */
interface BuiltFrame {
  /** As it was sent: a change of it is a change of the event. */
  readonly sent: JsonObject;
  readonly absPath: string;
  readonly filename: string;
  readonly function: string;
  /** From 1; 0 if it was not sent. */
  readonly lineno: number;
  readonly colno: number;
}

/** The frames of minified code of an event by stack: first the frames of the exception that was caught last, and so on, 250 in all. */
export function builtFrames(
  event: JsonObject,
  debugIds: ReadonlyMap<string, string>,
): readonly (readonly BuiltFrame[])[] {
  let room = mostFrames;
  return sentStacks(event)
    .toReversed()
    .map((stack) => {
      const built = room > 0 ? stack.map(frameOf).filter((frame) => fileKindOf(frame, debugIds) === "built") : [];
      const kept = built.slice(Math.max(built.length - room, 0));
      room -= kept.length;
      return kept;
    });
}

const hasPosition = ({ lineno, colno }: BuiltFrame): boolean => lineno > 0 && colno > 0;

function frameOf(sent: JsonObject): BuiltFrame {
  const filename = readText(sent["filename"], limits.text.path);
  return {
    sent,
    filename,
    absPath: readText(sent["abs_path"], limits.text.path) || filename,
    function: readText(sent["function"], limits.text.symbol),
    lineno: positiveNumber(sent["lineno"]),
    colno: positiveNumber(sent["colno"]),
  };
}

/** Frames of an event that are looked up, and calls that are inlined into them. More frames stay as they were sent. */
const most = { frames: 250, inlined: 250 };

/** The head of an event of Java or Kotlin by the names of its source; the event itself if no mapping has them. */
async function javaHead(
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
    stack: one.frames.map(javaFrameOf),
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
    const ofSource = frames.flatMap((frame, n) => javaSourceOf(frame, calls[n]));
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
function javaSourceOf(frame: JsonObject, retraced: Retraced | undefined): JsonObject[] {
  if (!retraced) return [frame];
  return retraced.calls.map(({ module, function: name, filename, isSynthesized }) => ({
    ...frame,
    module,
    function: name,
    filename,
    ...(isSynthesized && { in_app: false }),
  }));
}

const javaFrameOf = (frame: JsonObject): JavaFrame => ({
  module: readText(frame["module"], limits.text.symbol),
  function: readText(frame["function"], limits.text.symbol),
  filename: readText(frame["filename"], limits.text.path),
  lineno: positiveNumber(frame["lineno"]),
});

/** A line or column as it was sent; 0 for any other value. */
function positiveNumber(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
