import type { EventDetails, JsonField, JsonObject } from "@faultline/sentry-event";
import { asObject, readEvent } from "@faultline/sentry-event";
import { SourceMapVerdict, type Exception, type Frame } from "@faultline/proto";
import { eventForm } from "./event-form.ts";
import { onlyText } from "./fields.ts";

type Stacks = Pick<EventDetails, "exceptions" | "threads">;

/**
 * The exceptions and threads of an event with what was sent of those frames that the system mapped: it has `rawStacktrace` beside
 * `stacktrace` then. Where the two stacks do not show which frame became which, nothing is said.
 */
export function withSentStacks({ exceptions, threads }: Stacks, sent: JsonObject): Stacks {
  const values = valuesOf(sent);
  if (!values.some(hasRaw)) return { exceptions, threads };
  const raw = readEvent(JSON.stringify(eventForm(rawOf(sent))));
  const isAligned = raw.exceptions.length === exceptions.length && raw.threads.length === threads.length;
  if (!isAligned) return { exceptions, threads };
  return {
    exceptions: exceptions.map((exception, at) => withSentType(exception, raw.exceptions[at])),
    threads: threads.map((thread, at) => ({
      ...thread,
      frames: withSentFrames(thread.frames, raw.threads[at]?.frames),
    })),
  };
}

function withSentType(exception: Exception, raw: Exception | undefined): Exception {
  const frames = withSentFrames(exception.frames, raw?.frames);
  if (!raw || (raw.type === exception.type && raw.module === exception.module)) return { ...exception, frames };
  const obfuscated = { $typeName: "faultline.v1.ObfuscatedType", type: raw.type, module: raw.module } as const;
  return { ...exception, frames, obfuscated };
}

/**
 * Frames with what was sent of them, each stack with the oldest call first. Between the calls that both have, one frame was sent for each, or
 * a single one for all, because its calls were inlined.
 */
export function withSentFrames(frames: readonly Frame[], sent: readonly Frame[] = []): Frame[] {
  const least = Math.min(frames.length, sent.length);
  let start = 0;
  while (start < least && isSame(frames[start], sent[start])) start += 1;
  let end = 0;
  while (end < least - start && isSame(frames.at(-1 - end), sent.at(-1 - end))) end += 1;
  const [shownCount, sentCount] = [frames.length - start - end, sent.length - start - end];
  if (sentCount === 0 || (sentCount !== shownCount && (sentCount !== 1 || shownCount === 0))) return [...frames];
  return frames.map((frame, at) => {
    if (at < start || at >= frames.length - end) return frame;
    const original = sent[at];
    const isInlined = sentCount !== shownCount && at > start;
    if (!isInlined && (!original || isSame(frame, original))) return frame;
    return { ...frame, sourceMapping: mappingOf(isInlined ? undefined : original) };
  });
}

const isSame = (one: Frame | undefined, other: Frame | undefined) =>
  one?.filename === other?.filename &&
  one?.absPath === other?.absPath &&
  one?.module === other?.module &&
  one?.function === other?.function &&
  one?.lineno === other?.lineno &&
  one?.colno === other?.colno;

/** `sent` is undefined for a call that was inlined. */
const mappingOf = (sent: Frame | undefined): NonNullable<Frame["sourceMapping"]> => ({
  $typeName: "faultline.v1.SourceMapping",
  verdict: SourceMapVerdict.MAPPED,
  cause: "",
  nextStep: "",
  bundleId: 0,
  inlined: sent === undefined,
  ...(sent && {
    minified: {
      $typeName: "faultline.v1.MinifiedFrame",
      filename: sent.filename,
      absPath: sent.absPath,
      function: sent.function,
      lineno: sent.lineno,
      colno: sent.colno,
      contextLine: sent.contextLine,
      module: sent.module,
    },
  }),
});

/** The event with its stacks, types and modules as they were sent. */
function rawOf(sent: JsonObject): JsonObject {
  const entries = entriesOf(sent).map((entry) => {
    const data = asObject(entry["data"]);
    const values = listOf(data?.["values"]).map((value) => ({
      ...value,
      type: onlyText(value["rawType"]) ?? value["type"] ?? null,
      module: onlyText(value["rawModule"]) ?? value["module"] ?? null,
      stacktrace: value["rawStacktrace"] ?? value["stacktrace"] ?? null,
    }));
    return { ...entry, data: { ...data, values } };
  });
  return { ...sent, entries };
}

const hasRaw = (value: JsonObject): boolean =>
  (asObject(value["stacktrace"]) !== undefined && asObject(value["rawStacktrace"]) !== undefined) ||
  typeof value["rawType"] === "string";

const valuesOf = (sent: JsonObject): JsonObject[] =>
  entriesOf(sent).flatMap((entry) => listOf(asObject(entry["data"])?.["values"]));

const entriesOf = (sent: JsonObject): JsonObject[] =>
  listOf(sent["entries"]).filter(({ type }) => type === "exception" || type === "threads");

const listOf = (value: JsonField): JsonObject[] =>
  Array.isArray(value) ? value.map(asObject).filter((one) => one !== undefined) : [];
