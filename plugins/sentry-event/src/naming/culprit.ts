import type { GroupingException, GroupingFrame } from "@faultline/proto";
import type { JsonObject } from "../json/json.ts";
import { limits } from "../limits.ts";
import { cleanText, readText } from "../json/text.ts";
import { readRequestUrl } from "../request.ts";
import { crashFrame } from "./title.ts";
import type { Trims } from "../json/trims.ts";

/** The parts of an event that show where it happened. */
export interface Place {
  readonly transaction: string;
  readonly platform: string;
  readonly exceptions: GroupingException[];
  readonly frames: GroupingFrame[];
}

/**
 * Where an event happened: its transaction, otherwise its frame, otherwise the URL of its request (section 9.3). May be
 * empty.
 */
export function culpritOf(event: JsonObject, place: Place): string {
  const culprit = place.transaction || frameCulprit(place) || readRequestUrl(event);
  return cleanText(culprit, limits.text.culprit);
}

/** The name of the route or task; `culprit` is its name in old SDKs. May be empty. */
export function readTransaction(event: JsonObject, trims?: Trims): string {
  return readText(event["transaction"] ?? event["culprit"], limits.text.transaction, trims).trim();
}

function frameCulprit(place: Place): string {
  if (place.exceptions.at(-1)?.synthetic) return "";
  const frames = place.exceptions.findLast((exception) => exception.frames.length > 0)?.frames ?? place.frames;
  const frame = crashFrame(frames);
  return frame ? describe(frame, place.platform) : "";
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
