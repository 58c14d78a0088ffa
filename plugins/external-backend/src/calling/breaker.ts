/** Failures in a row after which no more calls are sent. A list sends up to four, so that one bad moment does not do. */
const maxFailures = 5;

const firstPauseMs = 10_000;
const longestPauseMs = 300_000;

/**
 * Keeps calls from a system that does not answer: after some failures in a row nothing is sent for a while, then one
 * trial; each trial that fails doubles the pause, up to five minutes, and the first success ends it. Pure: times are
 * given to it.
 */
export class Breaker {
  #failures = 0;
  #openUntil = 0;
  #pauseMs = firstPauseMs;
  #isTrying = false;

  /** How long no call may be sent, in milliseconds; 0: one may be now. */
  waitMs(now: number): number {
    if (this.#failures < maxFailures) return 0;
    if (now < this.#openUntil) return this.#openUntil - now;
    return this.#isTrying ? 1_000 : 0;
  }

  /** A call is sent. True when it is a trial: the caller then says when it has ended, however it ended. */
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
    this.#pauseMs = firstPauseMs;
  }

  /** True when this failure is one after which nothing is sent for a while. */
  failed(now: number): boolean {
    this.#failures++;
    // Calls that were on their way when it opened do not make the pause longer.
    if (this.#failures < maxFailures || now < this.#openUntil) return false;
    this.#openUntil = now + this.#pauseMs;
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
    return true;
  }
}
