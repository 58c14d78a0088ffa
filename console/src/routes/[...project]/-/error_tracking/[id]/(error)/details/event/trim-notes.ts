import type { TrackedEvent } from "#lib/messages.ts";
import { fullNumber } from "#lib/number-format.ts";

const shownAtMost = 5;

/** A sentence about the values that limits cut from a part of an event, such as `frames: 250 of 300 shown`. */
export function trimNotes(trimmed: TrackedEvent["trimmed"], part: string): string[] {
  const notes = trimmed.flatMap(({ part: cut, kept, sent, unit }) => {
    if (cut !== part && !cut.startsWith(`${part}.`)) return [];
    const name = (cut === part ? part : cut.slice(part.length + 1)).replace("frames context", "frames with source");
    if (sent === 0) return `${name}: some left out`;
    const what = unit === "TRIM_UNIT_CHARACTERS" ? "characters shown" : "shown";
    return `${name}: ${fullNumber(kept)} of ${fullNumber(sent)} ${what}`;
  });
  const more = notes.length - shownAtMost;
  return more > 0 ? [...notes.slice(0, shownAtMost), `${more} more`] : notes;
}
