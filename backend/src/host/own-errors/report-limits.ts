import type { Clock } from "@faultline/plugin";
import { RecentTimes, TokenBucket } from "@faultline/plugin/flow";

const burst = 10;
const perHour = 100;
const sameErrorMs = 60_000;
const hourMs = 3_600_000;

const all = "all errors";

/** How often the service reports: one a second with ten at once, 100 an hour, and the same error once a minute. */
export class ReportLimits {
  readonly #clock: Clock;
  readonly #bucket: TokenBucket;
  /** Of all errors together, under one key. */
  readonly #made: RecentTimes;
  readonly #madeOf: RecentTimes;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#bucket = new TokenBucket(burst, 1, clock.now());
    this.#made = new RecentTimes(clock, { windowMs: hourMs, timesKept: perHour });
    this.#madeOf = new RecentTimes(clock, { windowMs: sameErrorMs, timesKept: 1 });
  }

  /** Takes room for one report of an error; false: there is none. */
  take(identity: string): boolean {
    this.#bucket.fill(this.#clock.now());
    const isRepeated = this.#madeOf.of(identity).length > 0;
    if (isRepeated || this.#bucket.tokens < 1 || this.#made.of(all).length >= perHour) return false;
    this.#bucket.take(1);
    this.#made.note(all);
    this.#madeOf.note(identity);
    return true;
  }
}
