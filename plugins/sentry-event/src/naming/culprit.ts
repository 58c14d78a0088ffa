import type { GroupingException, GroupingFrame } from "@faultline/proto";
import type { JsonObject } from "../json/json.ts";
import { limits } from "../limits.ts";
import { cleanText, readText } from "../json/text.ts";
import { readPublicUrl, readRequestUrl } from "../request.ts";
import { isLibrary } from "../stack/library-rules.ts";
import { crashFrame } from "./title.ts";
import { publicName } from "./public-name.ts";
import type { Trims } from "../json/trims.ts";

/** The parts of an event that show where it happened. */
export interface Place {
  readonly transaction: string;
  readonly platform: string;
  readonly exceptions: GroupingException[];
  readonly frames: GroupingFrame[];
  /** See faultOf. */
  readonly fault: string;
}

/**
 * Where an event happened: its transaction, otherwise its frame, otherwise the URL of its request (section 9.3). May be
 * empty.
 */
export function culpritOf(event: JsonObject, place: Place): string {
  return cleanText(place.transaction || frameCulprit(place) || readPublicUrl(event), limits.text.culprit);
}

/**
 * The culprit that grouping fills into a fingerprint where it differs from `culprit`: that of frames as their SDK marks
 * them, of no native crash, and names as they were sent. A change here is a new grouping version.
 */
export function groupingCulpritOf(event: JsonObject, place: Place, culprit: string): string | undefined {
  const named = sentTransaction(event) || sentFrameCulprit(place) || readRequestUrl(event);
  const grouped = cleanText(named, limits.text.culprit);
  return grouped === culprit ? undefined : grouped;
}

/** The name of the route or task; `culprit` is its name in old SDKs. May be empty. */
export function readTransaction(event: JsonObject, trims?: Trims): string {
  const sent = readText(event["transaction"] ?? event["culprit"], Infinity); // half a secret is one
  return cleanText(publicName(sent), limits.text.transaction, trims).trim();
}

/** The same as it was sent, for grouping. */
export function sentTransaction(event: JsonObject): string {
  return readText(event["transaction"] ?? event["culprit"], limits.text.transaction).trim();
}

function frameCulprit(place: Place): string {
  if (isInvented(place) && place.fault === "") return "";
  const frame = crashFrame(framesOf(place), (candidate) => isOwn(candidate, place.platform));
  return frame ? describe(frame, place.platform) : "";
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

function isOwn({ inApp, filename, module, function: name }: GroupingFrame, platform: string): boolean {
  return inApp && !isLibrary({ platform, path: filename, module, function: name, package: "" }, true);
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
