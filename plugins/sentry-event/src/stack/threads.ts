import type { Thread } from "@faultline/proto";
import { sentFrames } from "./frame.ts";
import type { JsonObject } from "../json/json.ts";
import { limits } from "../limits.ts";
import type { OwnCode } from "./own-code.ts";
import { shownFrames } from "./shown-frames.ts";
import { readText } from "../json/text.ts";
import type { Trims } from "../json/trims.ts";
import { readValues } from "../json/values.ts";

/** The stack of the thread an event is about. May be empty. */
export function threadFrames(event: JsonObject): JsonObject[] {
  if (event["threads"] === undefined || event["threads"] === null) return [];
  const thread = mainThread(readValues(event["threads"]));
  return thread ? framesOf(thread) : [];
}

/** The context in which the threads of an event are read. */
export interface ThreadSurroundings {
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

/** The crashed thread, otherwise the current one, otherwise the only one. */
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
