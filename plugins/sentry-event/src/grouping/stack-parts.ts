import { FrameOwner, type GroupingFrame } from "@faultline/proto";
import { type FoldedPlace, foldPlace } from "../generated-names/folded-names.ts";
import { counted, left, type Notes } from "./reasons.ts";

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
  let crash: GroupingFrame | undefined;
  let place: FoldedPlace | undefined;
  for (const frame of frames) {
    if (!isReached(frame, reading)) continue;
    crash = frame;
    place = foldPlace(frame.platform || reading.platform, frame);
    const part = place.where === "" && place.name === "" ? "" : `${place.where}\u001e${place.name}`;
    if (part !== "" && part !== parts[parts.length - 1]) {
      parts.push(part);
      if (reading.notes) noteFrame(reading.notes, frame, place);
    } else if (reading.notes) {
      left(reading.notes, "frame", nameOf(frame), part === "" ? "It names no place." : "A recursion counts once.");
    }
  }
  if (!crash || !place) return { parts, isPlace: false };
  const line = reading.withLine && isOwn(crash) && place.where !== "" ? sourceLine(crash.contextLine) : "";
  if (line !== "") {
    parts.push(line);
    counted(reading.notes, "line", line, "The source line of the newest frame counts, with its white space folded.");
  }
  return { parts, isPlace: line !== "" || !place.isUnnamed };
}

const isOwn = ({ owner, inApp }: GroupingFrame) =>
  owner === FrameOwner.APPLICATION || (owner === FrameOwner.UNSPECIFIED && inApp);

function isReached(frame: GroupingFrame, { reach, notes }: StackReading): boolean {
  if (reach === "all") return true;
  if (reach === "application" ? isOwn(frame) : frame.owner !== FrameOwner.RUNTIME) return true;
  if (notes) {
    const why =
      reach === "application"
        ? "It is not the application's own code, and other frames are."
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

const nameOf = ({ module, filename, function: name }: GroupingFrame) =>
  [module || filename, name].filter((text) => text !== "").join(" in ");

function noteFrame(notes: Notes, frame: GroupingFrame, { where, name, isUnnamed }: FoldedPlace): void {
  const form = [where, name].filter((text) => text !== "").join(" in ");
  const why = isUnnamed
    ? `It counts as ${form}. The function has no name that identifies a place.`
    : `It counts as ${form}.`;
  counted(notes, "frame", nameOf(frame), why);
}
