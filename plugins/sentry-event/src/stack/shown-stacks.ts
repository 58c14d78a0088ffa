import type { Frame, Thread } from "@faultline/proto";
import { type JsonField, type JsonObject, cleanText, readText, readValues } from "../json.ts";
import { limits } from "../limits.ts";
import { readTrimmedJson, type Trims } from "../trims.ts";
import { groupingFrame, newestFrames, sentFrames } from "./frame.ts";
import type { OwnCode } from "./own-code.ts";

/** The context in which a stack is shown. */
export interface StackSurroundings {
  readonly platform: string;
  readonly ownCode: OwnCode;
  /** The maximum of frames, from FrameShares. */
  readonly share: number;
  /** The place of the stack. */
  readonly trims: Trims;
}

/** The newest frames as shown, 50 of them with source lines and variables. */
export function shownFrames(sent: JsonObject[], { platform, ownCode, share, trims }: StackSurroundings): Frame[] {
  const frames = newestFrames(sent, share);
  const place = trims.at("frames");
  place.entries(frames.length, sent.length);
  const withContext = frames.filter(hasContext);
  const chosen = new Set(chooseForContext(withContext, ownCode));
  trims.at("frames context").entries(chosen.size, withContext.length);
  return frames.map((frame, index) => ({
    ...readCall(frame, { platform, ownCode }, place.at(index)),
    ...(chosen.has(frame) ? readContext(frame, place.at(index)) : { preContext: [], contextLine: "", postContext: [] }),
  }));
}

type Context = Pick<Frame, "preContext" | "contextLine" | "postContext" | "vars">;

function readCall(
  frame: JsonObject,
  { platform, ownCode }: Pick<StackSurroundings, "platform" | "ownCode">,
  trims: Trims,
): Omit<Frame, keyof Context> {
  const read = groupingFrame(frame, platform, trims);
  const { module, filename, function: functionName } = read;
  return {
    $typeName: "faultline.v1.Frame",
    filename,
    absPath: readText(frame["abs_path"], limits.text.path, trims.at("abs_path")) || filename,
    function: functionName,
    module,
    package: readText(frame["package"], limits.text.symbol, trims.at("package")),
    lineno: readPosition(frame["lineno"]),
    colno: readPosition(frame["colno"]),
    inApp: ownCode.has(frame, read),
    codeUrl: "", // the core knows where a project's code is
  };
}

function readContext(frame: JsonObject, trims: Trims): Context {
  const sentVars = frame["vars"];
  const vars = readTrimmedJson(
    Array.isArray(sentVars) ? { ...sentVars } : sentVars,
    limits.trimmedJson.vars,
    trims.at("vars"),
  );
  const max = limits.count.contextLines;
  return {
    preContext: readLines(frame["pre_context"], (lines) => lines.slice(-max), trims.at("pre_context")),
    contextLine: readLine(aroundColumn(frame, trims.at("context_line")), trims.at("context_line")),
    postContext: readLines(frame["post_context"], (lines) => lines.slice(0, max), trims.at("post_context")),
    ...(vars && { vars }),
  };
}

/** A line or column, from 1; 0 for anything else. */
function readPosition(sent: JsonField): number {
  const position = typeof sent === "string" && sent.trim() !== "" ? Number(sent) : sent;
  return typeof position === "number" && position >= 1 && position <= 0x7fff_ffff ? Math.trunc(position) : 0;
}

function readLines(sent: JsonField, choose: (lines: JsonField[]) => JsonField[], trims: Trims): string[] {
  if (!Array.isArray(sent)) return [];
  const kept = choose(sent);
  trims.entries(kept.length, sent.length);
  return kept.map((line, index) => readLine(line, trims.at(index)));
}

/** How many characters are kept before the column, and with which mark, by Sentry's SDKs for JavaScript (`snipLine`). */
const snip = { before: 60, mark: "{snip} " };

/** The line of the call, from shortly before its column on if the limit would cut the column off, as in minified files. */
function aroundColumn({ context_line: line, colno: sent }: JsonObject, trims: Trims): JsonField {
  const max = limits.text.contextLine;
  const colno = readPosition(sent);
  if (typeof line !== "string" || line.length <= max || colno > line.length || colno < max - snip.before) return line;
  const shown = snip.mark + line.slice(colno - snip.before);
  trims.characters(Math.min(shown.length, max), line.length);
  return shown;
}

// Ruby sends each line with its line break. A null is an empty line here: dropping it would shift the line numbers.
function readLine(sent: JsonField, trims: Trims): string {
  return typeof sent === "string" ? cleanText(sent, limits.text.contextLine, trims).replace(/\r?\n$/, "") : "";
}

function hasContext(frame: JsonObject): boolean {
  return [frame["context_line"], frame["pre_context"], frame["post_context"], frame["vars"]].some(
    (sent) => sent !== "" && (typeof sent === "string" || Object.keys(sent ?? {}).length > 0),
  );
}

/** At most 50 frames: the application's first, then those at both ends of the stack. */
function chooseForContext(frames: JsonObject[], ownCode: OwnCode): JsonObject[] {
  const max = limits.count.framesWithContext;
  if (frames.length <= max) return frames;
  const isOwn = new Set(frames.filter((frame) => ownCode.has(frame)));
  const own = bothEnds([...isOwn], max);
  const others = frames.filter((frame) => !isOwn.has(frame));
  return [...own, ...bothEnds(others, max - own.length)];
}

function bothEnds(frames: JsonObject[], count: number): JsonObject[] {
  if (frames.length <= count) return frames;
  const newest = Math.ceil(count / 2);
  return [...frames.slice(0, count - newest), ...frames.slice(frames.length - newest)];
}

/** The stack of the thread an event is about. May be empty. */
export function threadFrames(event: JsonObject): JsonObject[] {
  if (event["threads"] === undefined || event["threads"] === null) return [];
  const thread = mainThread(readValues(event["threads"]));
  return thread ? framesOf(thread) : [];
}

/** The context in which the threads of an event are read. */
interface ThreadSurroundings {
  /** A stack outside of exceptions, and maybe of threads. */
  readonly frames: JsonObject[];
  readonly platform: string;
  readonly ownCode: OwnCode;
  /** The frames that exceptions left. */
  readonly shares: FrameShares;
  readonly trims: Trims;
}

/** The threads as shown; a stack outside of threads and exceptions is shown as the current thread. */
export function readThreads(
  event: JsonObject,
  { frames, platform, ownCode, shares, trims }: ThreadSurroundings,
): Thread[] {
  const threads = keptThreads(event, trims).map((sent) => ({ sent, stack: framesOf(sent) }));
  const isElsewhere = frames.length === 0 || threads.some(({ stack }) => stack.length > 0);
  const shown = isElsewhere ? threads : [{ sent: { current: true }, stack: frames }, ...threads];
  const share = shares.take(shown.map(({ stack }) => stack));
  return shown.map(({ sent, stack }, index) => ({
    ...readThread(sent, trims.at(index)),
    frames: shownFrames(stack, { platform, ownCode, share, trims: trims.at(index) }),
  }));
}

/** The first 100 threads; the one the event is about takes the last place if it comes later. */
function keptThreads(event: JsonObject, trims: Trims): JsonObject[] {
  const sent = readValues(event["threads"]);
  const kept = sent.slice(0, limits.count.threads);
  trims.entries(kept.length, sent.length);
  const main = mainThread(sent);
  return main === undefined || kept.includes(main) ? kept : [...kept.slice(0, -1), main];
}

function readThread(sent: JsonObject, trims: Trims): Omit<Thread, "frames"> {
  return {
    $typeName: "faultline.v1.Thread",
    id: readText(sent["id"], limits.text.word, trims.at("id")),
    name: readText(sent["name"], limits.text.word, trims.at("name")),
    current: sent["current"] === true,
    crashed: sent["crashed"] === true,
  };
}

function framesOf(thread: JsonObject): JsonObject[] {
  return sentFrames(thread["stacktrace"] ?? thread["raw_stacktrace"]);
}

/** The crashed thread, otherwise the current thread, otherwise the only thread. */
function mainThread(threads: JsonObject[]): JsonObject | undefined {
  return (
    threads.find((thread) => thread["crashed"] === true) ??
    threads.find((thread) => thread["current"] === true) ??
    (threads.length === 1 ? threads[0] : undefined)
  );
}

/** The frames that an event may still show: many stacks of a few bytes a frame would be pages of megabytes. */
export class FrameShares {
  #left: number = limits.count.eventFrames;

  /**
   * The maximum of frames that each of these stacks may show. Frames that a short stack does not use go to the long
   * ones.
   */
  take(stacks: readonly (readonly JsonObject[])[]): number {
    const lengths = stacks.map(({ length }) => Math.min(length, limits.count.frames)).toSorted((a, b) => a - b);
    for (const [index, length] of lengths.entries()) {
      const share = Math.floor(this.#left / (lengths.length - index));
      if (length > share) {
        this.#left -= share * (lengths.length - index);
        return share;
      }
      this.#left -= length;
    }
    return limits.count.frames;
  }
}
