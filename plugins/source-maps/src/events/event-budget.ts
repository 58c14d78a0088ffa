import { callerLeft } from "@faultline/plugin";
import { LoopSlices } from "@faultline/plugin/flow";

export const mebibyte = 1024 * 1024;

/**
 * Bytes that are read for one event, whose sender chooses the places: of the texts of sources, and of the records of a mapping of
 * ProGuard or R8. An event of 250 frames in a source of 25 MiB takes 0.15 s of a core then; it took 24 s when each frame read all of it.
 */
export const readAtMost = { sources: 4 * mebibyte, mappings: 8 * mebibyte };

/** What reading one event may cost. */
export class EventBudget {
  readonly #parts = new Set<string>();
  readonly #slices = new LoopSlices();
  readonly #signal: AbortSignal | undefined;
  #left: number;

  /** `signal`: aborted when nobody waits for the event any more. */
  constructor(bytes: number, signal?: AbortSignal) {
    this.#left = bytes;
    this.#signal = signal;
  }

  /** Between two frames: lets others have the event loop. Fails with `callerLeft()` where the caller left. */
  async next(): Promise<void> {
    await this.#slices.next();
    if (this.#signal?.aborted) throw callerLeft();
  }

  /** Whether a part may be read. It counts once, however often it is asked for; one for which there is no room does not count. */
  admits(part: string, bytes: number): boolean {
    if (this.#parts.has(part)) return true;
    if (!this.takes(bytes)) return false;
    this.#parts.add(part);
    return true;
  }

  /** Whether so many bytes may be read. */
  takes(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}
