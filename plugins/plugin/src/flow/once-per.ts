/** Is due at most once in so many milliseconds, the first time at once: for what would otherwise fill the log. */
export class OncePer {
  readonly #intervalMs: number;
  readonly #now: () => number;
  #lastAt = Number.NEGATIVE_INFINITY;

  /** `now` is a clock that no jump changes. */
  constructor(intervalMs: number, now = () => performance.now()) {
    this.#intervalMs = intervalMs;
    this.#now = now;
  }

  /** Whether it is due; when it is, the next time is an interval away. */
  take(): boolean {
    const now = this.#now();
    if (now - this.#lastAt < this.#intervalMs) return false;
    this.#lastAt = now;
    return true;
  }
}
