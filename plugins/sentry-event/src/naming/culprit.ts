import type { GroupingException, GroupingFrame } from "@faultline/proto";
import type { JsonObject } from "../json/json.ts";
import { limits } from "../limits.ts";
import { cleanText } from "../json/text.ts";
import { readPublicUrl, readRequestUrl } from "../request.ts";
import type { Occurrence } from "../occurrence.ts";
import { newestFrames } from "../stack/frame.ts";
import { OwnCode } from "../stack/own-code.ts";
import { faultOf } from "./fault.ts";
import { crashFrame, isNamed } from "./title.ts";
import { sentTransaction } from "./transaction.ts";

/** The parts of an event that show where it happened. */
export interface Place {
  readonly transaction: string;
  readonly platform: string;
  readonly exceptions: GroupingException[];
  readonly frames: GroupingFrame[];
  readonly occurrence: Occurrence;
  /** Returns all its stacks, as they were sent. */
  readonly stacks: () => readonly (readonly JsonObject[])[];
}

/**
 * Where an event happened: its transaction, otherwise its frame, otherwise the URL of its request (section 9.3). May be
 * empty.
 */
export function culpritOf(event: JsonObject, place: Place, shown = shownFrame(place)): string {
  return cleanText(place.transaction || frameCulprit(place, shown) || readPublicUrl(event), limits.text.culprit);
}

/**
 * The culprit that grouping fills into a fingerprint where it differs from `culprit`: that of frames as their SDK marks
 * them, of no native crash, and names as they were sent. A change here is a new grouping version.
 */
export function groupingCulpritOf(event: JsonObject, place: Place, culprit: string): string | undefined {
  if (place.transaction !== "" && place.transaction === event["transaction"]) return undefined; // as of most
  const named = sentTransaction(event) || sentFrameCulprit(place) || readRequestUrl(event);
  const grouped = cleanText(named, limits.text.culprit);
  return grouped === culprit ? undefined : grouped;
}

function frameCulprit(place: Place, frame: GroupingFrame | undefined): string {
  if (isInvented(place) && faultOf(place.occurrence.exceptions.at(-1)) === "") return "";
  return frame ? describe(frame, place.platform) : "";
}

/**
 * The frame in which it happened: the newest of the application's own code, otherwise the newest outside of libraries, as
 * an SDK may take an application for a library by its folder. An exception was thrown in its newest frame at least; the
 * newest frame of a message is in the SDK that took the stack.
 */
export function shownFrame({ exceptions, frames, occurrence, platform, stacks }: Place): GroupingFrame | undefined {
  const thrown = exceptions.findLastIndex((exception) => exception.frames.length > 0);
  const read = exceptions[thrown]?.frames ?? frames;
  const sent = newestFrames(occurrence.exceptions[thrown]?.frames ?? occurrence.frames);
  const ownCode = new OwnCode(stacks, platform);
  const own = newest(read, (frame, index) => ownCode.has(sent[index] ?? {}, frame));
  if (own || thrown >= 0) return own ?? read.at(-1);
  return newest(read, (frame, index) => !ownCode.isOfLibrary(sent[index] ?? {}, frame));
}

function newest(frames: GroupingFrame[], isMeant: (frame: GroupingFrame, index: number) => boolean) {
  return frames.findLast((frame, index) => isNamed(frame) && isMeant(frame, index));
}

function sentFrameCulprit(place: Place): string {
  if (isInvented(place)) return "";
  const frame = crashFrame(framesOf(place));
  return frame ? describe(frame, place.platform) : "";
}

/** Whether the exception is an invention of the SDK, whose title says the location. */
function isInvented({ exceptions }: Place): boolean {
  return exceptions.at(-1)?.synthetic === true;
}

function framesOf({ exceptions, frames }: Place): GroupingFrame[] {
  return exceptions.findLast((exception) => exception.frames.length > 0)?.frames ?? frames;
}

function describe(frame: GroupingFrame, platform: string): string {
  const where = frame.module || frame.filename;
  switch (platform) {
    case "native":
    case "cocoa":
    case "objc":
      return frame.function || "?";
    case "javascript":
    case "node":
      return where === "" ? frame.function : `${frame.function || "?"}(${where})`;
    default:
      return where !== "" && frame.function !== "" ? `${where} in ${frame.function}` : where || frame.function;
  }
}
