import { FrameOwner, type GroupingException, type GroupingFrame } from "@faultline/proto";
import { shownNames } from "../generated-names/names.ts";
import { type JsonObject, cleanText, readText, readValues } from "../json.ts";
import { limits } from "../limits.ts";
import type { Occurrence } from "../occurrence.ts";
import { readPublicUrl, readRequestUrl } from "../request.ts";
import { newestFrames } from "../stack/frame.ts";
import type { OwnCode } from "../stack/own-code.ts";
import type { Trims } from "../trims.ts";
import { publicAddress, publicText } from "./public-name.ts";

/** The parts of an event that show where it happened. */
interface Place {
  readonly transaction: string;
  readonly platform: string;
  readonly exceptions: GroupingException[];
  readonly frames: GroupingFrame[];
  readonly occurrence: Occurrence;
  readonly ownCode: OwnCode;
  /** The exception that names the event. Undefined for messages. */
  readonly naming: GroupingException | undefined;
}

/**
 * Where an event happened: its transaction, otherwise its frame, otherwise the URL of its request (section 9.3). May be
 * empty.
 */
export function culpritOf(event: JsonObject, place: Place, shown = shownFrame(place)): string {
  const described = shown && describeShown(shown, place.platform);
  return cleanText(
    place.transaction || (described === "?" ? "" : described) || withoutScheme(readPublicUrl(event)),
    limits.text.culprit,
  );
}

/**
 * The culprit that grouping fills into a fingerprint if it differs from `culprit`: the culprit of frames as their SDK marks
 * them, of no native crash, and names as they were sent. A change here is a new grouping version.
 */
export function groupingCulpritOf(event: JsonObject, place: Place, culprit: string): string | undefined {
  if (place.transaction !== "" && place.transaction === event["transaction"]) return undefined; // as of most
  const named = sentTransaction(event) || sentFrameCulprit(place) || readRequestUrl(event);
  const grouped = cleanText(named, limits.text.culprit);
  return grouped === culprit ? undefined : grouped;
}

/**
 * The frame in which it happened: the newest of the application's own code, otherwise the newest outside of libraries, as
 * an SDK may take an application for a library by its folder. An exception was thrown in its newest frame at least; the
 * newest frame of a message is in the SDK that took the stack.
 */
export function shownFrame(place: Place): GroupingFrame | undefined {
  const { frames, occurrence, ownCode } = place;
  const thrown = thrownException(place);
  const read = thrown?.frames ?? frames;
  const own = read.findLast((frame) => frame.owner === FrameOwner.APPLICATION && isNamed(frame));
  if (own || thrown) return own ?? read.at(-1);
  const sent = newestFrames(occurrence.frames);
  return read.findLast((frame, index) => isNamed(frame) && !ownCode.isOfLibrary(sent[index] ?? {}, frame));
}

/** The exception with the shown stack: the exception that names the event, otherwise the last exception that has a stack. */
function thrownException({ exceptions, naming }: Place): GroupingException | undefined {
  return naming && naming.frames.length > 0 ? naming : exceptions.findLast(({ frames }) => frames.length > 0);
}

function sentFrameCulprit(place: Place): string {
  if (isInvented(place)) return "";
  const frame = crashFrame(framesOf(place));
  return frame ? describe(frame, { platform: place.platform, where: frame.module || frame.filename }) : "";
}

/** Whether the SDK made up the exception, with a title that says the location. */
function isInvented({ exceptions }: Place): boolean {
  return exceptions.at(-1)?.synthetic === true;
}

function framesOf({ exceptions, frames }: Place): GroupingFrame[] {
  return exceptions.findLast((exception) => exception.frames.length > 0)?.frames ?? frames;
}

function describeShown(frame: GroupingFrame, platform: string): string {
  const named = { ...frame, ...shownNames(frame.platform || platform, frame) };
  return describe(named, { platform, where: fileInWords(named, platform) });
}

function describe(frame: GroupingFrame, { platform, where }: { platform: string; where: string }): string {
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

/** Module or file of a frame as people read it: host and path of an address; empty for code without a file. */
function fileInWords({ module, filename }: GroupingFrame, platform: string): string {
  const sent = module || filename;
  if (platform !== "javascript" && !sent.includes("://")) return sent;
  return /^(?:blob|data|wasm):/.test(sent) ? "" : withoutScheme(publicAddress(sent));
}

const withoutScheme = (address: string) => address.replace(/^https?:\/\//i, "");

/** The frame an event is about by the marks of its SDK: the newest own frame that has a name, otherwise the newest. */
function crashFrame(frames: GroupingFrame[]): GroupingFrame | undefined {
  return frames.findLast((frame) => isNamed(frame) && frame.inApp) ?? frames.at(-1);
}

/** Whether a frame has the name of a function. */
function isNamed(frame: GroupingFrame): boolean {
  return frame.function !== "" && frame.function !== "<redacted>" && frame.function !== "<unknown>";
}

/**
 * Whether the event is a transaction, a performance record: accepted at the store endpoint, but not kept as an error. An
 * event with an exception is an error, whatever it says.
 */
export function isTransaction(event: JsonObject): boolean {
  return (
    event["type"] === "transaction" &&
    readValues(event["exception"] ?? event["sentry.interfaces.Exception"]).length === 0
  );
}

/** The name of the route or task; `culprit` is its name in old SDKs. May be empty. */
export function readTransaction(event: JsonObject, trims?: Trims): string {
  return readText(publicText(event["transaction"] ?? event["culprit"]), limits.text.transaction, trims).trim();
}

/** The same as it was sent, for grouping. */
export function sentTransaction(event: JsonObject): string {
  return readText(event["transaction"] ?? event["culprit"], limits.text.transaction).trim();
}
