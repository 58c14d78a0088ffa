import type { JsonObject } from "../json/json.ts";
import { limits } from "../limits.ts";

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
