import { type GroupingFrame, FrameOwner } from "@faultline/proto";
import { type JsonObject, readText } from "../json.ts";
import { limits } from "../limits.ts";
import { groupingFrame, placeOf, newestFrames } from "./frame.ts";
import { libraryOf, type FramePlace, type LibraryRule } from "./libraries.ts";

/**
 * The frames of an event that are the application's own code. An SDK that says no is believed. An SDK that says yes is
 * corrected by the table of libraries, unless the event shows that somebody chose the mark: other frames of the same
 * dependencies are not marked, as with `in_app_include`. The table decides if the SDK says nothing.
 */
export class OwnCode {
  readonly #stacksOfEvent: () => readonly (readonly JsonObject[])[];
  readonly #platform: string;
  #unchosen: ReadonlySet<string> | undefined;

  constructor(stacksOfEvent: () => readonly (readonly JsonObject[])[], platform: string) {
    this.#stacksOfEvent = stacksOfEvent;
    this.#platform = platform;
  }

  has(frame: JsonObject, read: GroupingFrame = groupingFrame(frame, this.#platform)): boolean {
    const sent = frame["in_app"];
    if (sent === false) return false;
    const place = placeOf(frame, this.#platform, read);
    const markedOwn = sent === true;
    if (place.platform === "go" && !markedOwn) return false; // Go leaves in_app out when it is false
    const library = libraryOf(place, markedOwn);
    return library === undefined || (markedOwn && this.#isChosen(place, library));
  }

  /** Whether a frame is in a library, whatever its mark. */
  isOfLibrary(frame: JsonObject, read: GroupingFrame): boolean {
    return libraryOf(placeOf(frame, this.#platform, read), false) !== undefined;
  }

  /** Whether a frame is in the language's own core or in the SDK. */
  isOfRuntime(frame: JsonObject, read: GroupingFrame): boolean {
    return libraryOf(placeOf(frame, this.#platform, read), false)?.isRuntime === true;
  }

  #isChosen(place: FramePlace, library: LibraryRule): boolean {
    if (!library.mayBeChosen) return false;
    // Most events have no such frame, so the others are read only for events that do.
    this.#unchosen ??= new Set(
      this.#stacksOfEvent().flatMap((stack) => stack.flatMap((frame) => this.#folderUnchosen(frame))),
    );
    return this.#unchosen.has(folderOf(place, library));
  }

  /** The folder of dependencies of a frame that is not marked as own; none of any other frame. */
  #folderUnchosen(frame: JsonObject): string[] {
    if (frame["in_app"] === true) return [];
    const place = placeOf(frame, this.#platform, groupingFrame(frame, this.#platform));
    // Rust's SDK marks its own dependencies as false, and leaves marks out if the application chose some.
    if (frame["in_app"] === false && rust.has(place.platform)) return [];
    const library = libraryOf(place, false);
    return library?.mayBeChosen ? [folderOf(place, library)] : [];
  }
}

const rust = new Set(["native", "rust"]);

/** Where the dependencies of a frame are. */
function folderOf({ path }: FramePlace, { name, path: pattern }: LibraryRule): string {
  return `${name} ${path.slice(0, Math.max(pattern ? path.search(pattern) : 0, 0))}`;
}

interface ReadStack {
  readonly sent: JsonObject[];
  readonly read: GroupingFrame[];
}

/**
 * Says who owns the code of each frame, and the source line of the newest own frame of each stack. What is runtime and what
 * is a library matters, and is looked up, only in an event without own code.
 */
export function markOwners(stacks: readonly ReadStack[], ownCode: OwnCode): void {
  let hasOwn = false;
  for (const { sent, read } of stacks) {
    const frames = newestFrames(sent);
    let isNewest = true;
    for (let index = read.length - 1; index >= 0; index--) {
      const frame = read[index];
      const one = frames[index];
      if (!frame || !one || one["in_app"] === false || !ownCode.has(one, frame)) continue; // of a library, as it was read
      frame.owner = FrameOwner.APPLICATION;
      frame.platform = readText(one["platform"], limits.text.platform);
      if (!isNewest) continue;
      frame.contextLine = readText(one["context_line"], limits.text.contextLine);
      hasOwn = true;
      isNewest = false;
    }
  }
  if (!hasOwn) for (const stack of stacks) markRuntime(stack, ownCode);
}

function markRuntime({ sent, read }: ReadStack, ownCode: OwnCode): void {
  const frames = newestFrames(sent);
  for (const [index, frame] of read.entries()) {
    if (ownCode.isOfRuntime(frames[index] ?? {}, frame)) frame.owner = FrameOwner.RUNTIME;
  }
}
