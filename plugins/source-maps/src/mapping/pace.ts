/** Of its time, the least that a thread works: an upload gets on in an error storm, too. */
const leastShare = 0.05;

/** A rest. A shorter one says little about the event loop. */
const shortestMs = 10;
const longestMs = 1_000;

/** At least that often there is a rest, as the load changes. */
const lookEachMs = 250;

/**
 * Lets a thread work in a smaller share of its time the busier the event loop is in its rests, when no upload keeps it busy: all of
 * it while nothing is received, a quarter beside 500 events a second. Even with a core to spare, what streams through its
 * memory slows down the other threads: events took 1.15 times as long beside files of 60 MiB that were inflated.
 */
export class Pace {
  /** The share of time in which the event loop was busy, from 0 to 1. */
  #busy = 0;
  #owedMs = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** How long to rest after work of `workMs`; 0: not now. `now` in milliseconds of any clock. */
  restAfter(workMs: number, now: number): number {
    const share = Math.max((1 - this.#busy) ** 3, leastShare);
    this.#owedMs += workMs * (1 / share - 1);
    if (this.#owedMs < shortestMs && now - this.#lookedAt < lookEachMs) return 0;
    const restMs = Math.min(Math.max(this.#owedMs, shortestMs), longestMs);
    this.#owedMs = 0;
    return restMs;
  }

  /** The event loop was busy for a share of a rest, from 0 to 1, which ended `now`. */
  saw(busy: number, now: number): void {
    this.#busy = this.#lookedAt === Number.NEGATIVE_INFINITY ? busy : (this.#busy + busy) / 2;
    this.#lookedAt = now;
  }
}
