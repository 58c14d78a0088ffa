import type { Clock } from "@faultline/plugin";

const burst = 10;
const perHour = 100;
const sameErrorMs = 60_000;
const hourMs = 3_600_000;

/** Distinct errors remembered. Beyond it they are all forgotten, and only the other bounds remain. */
const errorsRemembered = 1000;

/** How often the service reports: one a second with ten at once, 100 an hour, and the same error once a minute. */
export class ReportLimits {
  readonly #clock: Clock;
  #tokens = burst;
  #filledAt: number;
  /** When the reports of the last hour were made, oldest first. */
  #made: number[] = [];
  readonly #lastOf = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#filledAt = clock.now();
  }

  /** Takes room for one report of an error; false: there is none. */
  take(identity: string): boolean {
    const now = this.#clock.now();
    this.#tokens = Math.min(burst, this.#tokens + Math.max(0, now - this.#filledAt) / 1000);
    this.#filledAt = now;
    this.#made = this.#made.filter((at) => at > now - hourMs && at <= now); // a clock set back must not silence reports
    const last = this.#lastOf.get(identity);
    const isRepeated = last !== undefined && now >= last && now - last < sameErrorMs;
    if (isRepeated || this.#tokens < 1 || this.#made.length >= perHour) return false;
    this.#tokens -= 1;
    this.#made.push(now);
    if (this.#lastOf.size >= errorsRemembered) this.#lastOf.clear();
    this.#lastOf.set(identity, now);
    return true;
  }
}
