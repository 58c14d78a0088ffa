import { FrameOwner, type GroupingFrame } from "@faultline/proto";
import { foldPlace, namesOf } from "../generated-names/folded-names.ts";
import { counted, left, type Notes, type TakenReasons } from "./reasons.ts";

/** How stacks are read. */
export interface StackReading {
  readonly platform: string;
  readonly reach: Reach;
  /** Whether the source line of the crash frame counts. */
  readonly withLine: boolean;
  readonly notes: Notes;
}

/** Which frames count: those of the application, otherwise those of libraries, otherwise all. */
export type Reach = "application" | "libraries" | "all";

/** What counts of a stack. */
export interface StackParts {
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

/** What counts of a stack: module or file and function of each frame, and the source line of the newest. */
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
  return crash ? { parts, isPlace: isPlace(crash, parts, reading) } : { parts, isPlace: false };
}

/** Whether the newest frame identifies its place, by its name or its source line, which it adds to the parts. */
function isPlace(crash: GroupingFrame, parts: string[], { platform, withLine, notes }: StackReading): boolean {
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

/** A source line with its white space folded; empty where it is none that a person wrote. */
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
