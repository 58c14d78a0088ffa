import { backoff } from "@faultline/plugin/flow";

/**
 * Consecutive failures after which no more calls are sent. A list sends up to four calls, so one bad moment must not
 * reach it.
 */
const maxFailures = 5;

const pauses = { firstMs: 10_000, longestMs: 300_000 };

/**
 * Keeps calls from a system that does not answer. After some consecutive failures nothing is sent for a while, then one
 * trial; each failed trial doubles the pause, up to five minutes, and the first success ends it. Pure: the caller
 * passes the time.
 */
export class Breaker {
  #failures = 0;
  #openUntil = 0;
  /** The pauses since it answered last. */
  #pauses = 0;
  #isTrying = false;

  /** How long no call may be sent, in milliseconds; 0 when one may be sent now. */
  waitMs(now: number): number {
    if (this.#failures < maxFailures) return 0;
    if (now < this.#openUntil) return this.#openUntil - now;
    return this.#isTrying ? 1_000 : 0;
  }

  /** Records that a call is sent. True when it is a trial: the caller must then report its end, however it ends. */
  begin(): boolean {
    const isTrial = this.#failures >= maxFailures;
    if (isTrial) this.#isTrying = true;
    return isTrial;
  }

  trialEnded(): void {
    this.#isTrying = false;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#pauses = 0;
  }

  /** Records a failure. True when it opens the breaker. */
  failed(now: number): boolean {
    this.#failures++;
    // Calls that were already under way when it opened do not make the pause longer.
    if (this.#failures < maxFailures || now < this.#openUntil) return false;
    this.#pauses++;
    this.#openUntil = now + backoff(this.#pauses, pauses);
    return true;
  }
}
