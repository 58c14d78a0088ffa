import { type GroupingException, FrameOwner, type GroupingFrame } from "@faultline/proto";
import type { Fault } from "../exceptions.ts";
import { foldType, foldPlace, namesOf } from "../generated-names/names.ts";
import { parametrise } from "./parametrise.ts";
import { counted, left, type Notes, type TakenReasons } from "./reasons.ts";

/** The counted parts of an exception and its causes. A group of exceptions of one kind counts as one exception. */
export function faultParts(fault: Fault, reading: StackReading): string[] {
  const { exception, causes, members } = fault;
  if (members.length > 0) {
    const kinds = kindsOf(fault, reading);
    const [only] = kinds.values();
    if (kinds.size === 1 && only) {
      left(reading.notes, "exception", exception.type, "All exceptions of the group are alike, so only one counts.");
      return reading.notes ? faultParts(only.fault, reading) : only.parts;
    }
    const parts = [...exceptionParts(exception, reading), "\u0002", ...[...kinds.keys()].toSorted(), "\u0003"];
    for (const kind of kinds.values()) if (reading.notes) faultParts(kind.fault, reading);
    return parts;
  }
  const parts = exceptionParts(exception, reading);
  for (const cause of causes) parts.push("\u0001", ...faultParts(cause, reading));
  return parts;
}

/** An exception of a group, and what counts of it: reading that twice would double the work at each level of groups. */
interface Member {
  readonly fault: Fault;
  readonly parts: string[];
}

/** The kinds of exceptions in a group, by what counts of them, in the order in which they were first sent. */
export function kindsOf({ members }: Fault, reading: StackReading): ReadonlyMap<string, Member> {
  const kinds = new Map<string, Member>();
  for (const fault of members.toReversed()) {
    const parts = faultParts(fault, { ...reading, notes: undefined });
    const key = parts.join("\u001f");
    if (!kinds.has(key)) kinds.set(key, { fault, parts });
  }
  return kinds;
}

function exceptionParts(exception: GroupingException, reading: StackReading): string[] {
  const { notes } = reading;
  const { synthetic, fault, value } = exception;
  const type = foldType(reading.platform, fault || exception.type);
  noteType(exception, type, reading);
  const { parts, isPlace } = stackParts(exception.frames, reading);
  const why = whyValueCounts({ hasFrames: parts.length > 0, isPlace, isThrown: !synthetic || fault !== "" });
  if (why === undefined) {
    left(notes, "value", value, "The place of the exception is known, and its text may vary.");
    return [type, ...parts];
  }
  const said = parametrise(value);
  noteText(notes, "value", { sent: value, said, why });
  return [type, ...parts, "\u0004", said];
}

function noteType({ type, fault }: GroupingException, part: string, { notes, platform }: StackReading): void {
  const form = (shown: string) => foldType(platform, shown);
  if (part !== "") counted(notes, "type", { sent: fault || type, part, form }, "The type of the exception counts.");
}

function whyValueCounts(of: { hasFrames: boolean; isPlace: boolean; isThrown: boolean }): string | undefined {
  if (!of.hasFrames) return "No frame counts, so the text counts.";
  if (!of.isThrown) return "The SDK made this exception, so its text counts.";
  return of.isPlace ? undefined : "The newest frame has neither a name nor a source line, so the text counts.";
}

/** Notes that a text counted without what varies in it. */
export function noteText(
  notes: Notes,
  what: "value" | "message",
  { sent, said, why }: { readonly sent: string; readonly said: string; readonly why: string },
): void {
  if (said !== "") counted(notes, what, { sent, part: said, form: parametrise }, why);
}

/** How stacks are read. */
export interface StackReading {
  readonly platform: string;
  readonly reach: Reach;
  /** Whether the source line of the crash frame counts. */
  readonly withLine: boolean;
  readonly notes: Notes;
}

/** The frames that count: frames of the application, otherwise of libraries, otherwise all. */
export type Reach = "application" | "libraries" | "all";

/** The counted parts of a stack. */
interface StackParts {
  readonly parts: string[];
  /** Whether the newest frame identifies its place. Otherwise what is said there counts too. */
  readonly isPlace: boolean;
}

/** The frames that count in an event. */
export function reachOf(stacks: readonly (readonly GroupingFrame[])[]): Reach {
  let reach: Reach = "all";
  for (const stack of stacks) {
    for (const frame of stack) {
      if (isOwn(frame)) return "application";
      if (frame.owner !== FrameOwner.RUNTIME) reach = "libraries";
    }
  }
  return reach;
}

/** The counted parts of a stack: module or file and function of each frame, and the source line of the newest. */
export function stackParts(frames: readonly GroupingFrame[], reading: StackReading): StackParts {
  const parts: string[] = [];
  const { reach, platform, notes } = reading;
  let names = namesOf(platform);
  let ofPlatform = platform;
  let crash: GroupingFrame | undefined;
  let last = "";
  for (const frame of frames) {
    if (reach !== "all" && !isReached(frame, reading)) continue;
    crash = frame;
    const own = frame.platform || platform;
    if (own !== ofPlatform) names = namesOf((ofPlatform = own));
    const where = names.where(frame).name;
    const call = names.call(frame).name;
    const part = where === "" && call === "" ? "" : `${where}\u001e${call}`;
    const isNew = part !== "" && part !== last;
    if (isNew) parts.push((last = part));
    if (notes) noteFrame(notes, frame, { part: isNew ? part : "", reading });
  }
  return crash ? { parts, isPlace: addPlace(crash, parts, reading) } : { parts, isPlace: false };
}

/** Whether the newest frame identifies its place, by its name or its source line, which it adds to the parts. */
function addPlace(crash: GroupingFrame, parts: string[], { platform, withLine, notes }: StackReading): boolean {
  const place = foldPlace(crash.platform || platform, crash);
  const line = withLine && isOwn(crash) && place.where !== "" ? sourceLine(crash.contextLine) : "";
  if (line === "") return !place.isUnnamed;
  parts.push(line);
  const sent = crash.contextLine.trim();
  counted(notes, "line", { sent, part: line, form: sourceLine }, "The source line of the newest frame counts.");
  return true;
}

const isOwn = ({ owner, inApp }: GroupingFrame) =>
  owner === FrameOwner.APPLICATION || (owner === FrameOwner.UNSPECIFIED && inApp);

function isReached(frame: GroupingFrame, { reach, notes }: StackReading): boolean {
  if (reach === "application" ? isOwn(frame) : frame.owner !== FrameOwner.RUNTIME) return true;
  if (notes) {
    const why =
      reach === "application"
        ? "It is not the application's code, and other frames are."
        : "It belongs to the language's runtime or to the SDK, and other frames do not.";
    left(notes, "frame", nameOf(frame), why);
  }
  return false;
}

/** Longer lines are of built files, and change with each build. */
const longestLine = 300;
const keptOfLine = 120;

/** A source line with its white space folded; empty if no person wrote it. */
function sourceLine(sent: string): string {
  if (sent === "" || sent.length > longestLine || sent.includes("{snip}")) return "";
  return sent.trim().replace(/\s+/g, " ").slice(0, keptOfLine);
}

const placeOf = (where: string, call: string) => [where, call].filter((text) => text !== "").join(" in ");

const nameOf = ({ module, filename, function: name }: GroupingFrame) => placeOf(module || filename, name);

const whyFramesCount: Readonly<Record<Reach, string>> = {
  application: "It is the application's code.",
  libraries: "No frame is the application's code, so frames of libraries count.",
  all: "All frames belong to the language's runtime or to the SDK, so they count.",
};

/** `part`: what counted of the frame. */
function noteFrame(
  notes: TakenReasons,
  frame: GroupingFrame,
  { part, reading: { platform, reach } }: { readonly part: string; readonly reading: StackReading },
): void {
  const { module, filename, function: name } = frame;
  const { show } = notes;
  const names = namesOf(frame.platform || platform);
  const shown = { module: show(module), filename: show(filename), function: show(name) };
  const form = placeOf(names.where(shown).name, names.call(shown).name);
  if (part !== "") counted(notes, "frame", { sent: nameOf(frame), part, form: () => form }, whyFramesCount[reach]);
  else left(notes, "frame", nameOf(frame), form === "" ? "It names no place." : "A recursion counts once.");
}
