import { startOfHour } from "@faultline/plugin";
import { BoundedMap } from "@faultline/plugin/flow";

/** The most errors kept per project; each costs some hundred bytes. */
const maxErrors = 2_000;

/**
 * The time that the last-seen label of an error shows (specification 1.7): that of its newest event before the current
 * hour. External systems report only the newest event, so the earlier value comes from an earlier report.
 */
export class LastSeen {
  readonly #known = new BoundedMap<string, { newest: number; settled: number | undefined }>(maxErrors);

  /** The settled time; undefined when it is unknown. `derived`: the time from another source. */
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
