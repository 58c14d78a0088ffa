import { startOfHour } from "@faultline/plugin";
import { BoundedMap } from "@faultline/plugin/flow";

/** Errors remembered at most, for one project; each costs some hundred bytes. */
const maxErrors = 2_000;

/**
 * The value that the last-seen label of an error follows (specification 1.7): when its newest event before the current
 * hour was. External systems tell the newest event alone, so the earlier value is the one that was told before.
 */
export class LastSeen {
  readonly #known = new BoundedMap<string, { newest: number; settled: number | undefined }>(maxErrors);

  /** The settled time; undefined: not known. `derived` is what else is known of it. */
  settled(errorId: string, newest: number, derived: number | undefined, now: number): number | undefined {
    const hour = startOfHour(now);
    const known = this.#known.get(errorId);
    const candidates = [newest, derived, known?.newest, known?.settled].filter(
      (time): time is number => time !== undefined && time < hour,
    );
    const settled = candidates.length > 0 ? Math.max(...candidates) : undefined;
    this.#known.set(errorId, { newest: Math.max(newest, known?.newest ?? 0), settled });
    return settled;
  }
}
