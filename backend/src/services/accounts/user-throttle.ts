import { ServiceError, type Clock } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { RecentTimes } from "@faultline/plugin/flow";

/** Limits how often a user does something. In memory, per process: a restart resets it. */
export class UserThrottle {
  readonly #most: number;
  readonly #refusal: string;
  readonly #times: RecentTimes;

  /** Allows `most` attempts in `windowMs`. `refusal` is the sentence of the refusal. */
  constructor(clock: Clock, { windowMs, most, refusal }: { windowMs: number; most: number; refusal: string }) {
    this.#most = most;
    this.#refusal = refusal;
    this.#times = new RecentTimes(clock, { windowMs, timesKept: most });
  }

  /** Counts an attempt, or refuses it with TOO_MANY_ATTEMPTS; refused attempts do not count. */
  begin(userId: number): void {
    const key = String(userId);
    if (this.#times.of(key).length >= this.#most) {
      const retryAfterSeconds = this.#times.secondsUntilFewer(key);
      throw new ServiceError(ErrorReason.TOO_MANY_ATTEMPTS, this.#refusal, { retryAfterSeconds });
    }
    this.#times.note(key);
  }
}
