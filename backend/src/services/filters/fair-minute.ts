/** Events of each error that are let in within a minute, however little is left for all. */
const leastOfError = 5;

/** So many of these in a minute, of all errors together: a hundred rare errors find room. */
const leastRoom = 600;

/** From half of that room on a network has at most a fifth of it. */
const networksShareFrom = 1 / 2;
const shareOfNetwork = 1 / 5;

const minuteMs = 60_000;

/**
 * Who is let in during one minute of a spike. The first events of each error are, which is all that a rare one has; what
 * comes back of the budget in a minute is shared by the errors in equal parts. So what is left out is the bulk of the
 * loudest.
 *
 * New errors cost a flood nothing to make, so that there is a limit of first events, and within it one for each network
 * of senders. The tables hold what was let in and nothing else, and so no more entries than there is room.
 */
export class FairMinute {
  readonly #begunAt: number;
  readonly #perMinute: number;
  readonly #room: number;
  readonly #errorsBefore: number;
  readonly #ofError = new Map<string, number>();
  readonly #ofNetwork = new Map<string, number>();
  #firstCount = 0;
  #sharedCount = 0;

  /** `perMinute`: what comes back of the budget in a minute. */
  constructor(now: number, perMinute: number, before?: FairMinute) {
    this.#begunAt = now;
    this.#perMinute = perMinute;
    this.#room = Math.max(leastRoom, perMinute);
    // Otherwise the loudest, which comes first in each minute, would take the parts of the others.
    this.#errorsBefore = before && now - before.#begunAt < 2 * minuteMs ? before.#ofError.size : 1;
  }

  isOver(now: number): boolean {
    return now - this.#begunAt >= minuteMs || now < this.#begunAt;
  }

  /** Whether an event of this error, from this network, is let in; if so, it is counted. */
  lets(error: string, network: string): boolean {
    const ofError = this.#ofError.get(error) ?? 0;
    const isLet = ofError < leastOfError ? this.#hasRoom(network) : this.#hasPart(ofError - leastOfError);
    if (isLet) this.#ofError.set(error, ofError + 1);
    return isLet;
  }

  #hasRoom(network: string): boolean {
    const ofNetwork = this.#ofNetwork.get(network) ?? 0;
    const isCrowded = this.#firstCount >= this.#room * networksShareFrom;
    if (this.#firstCount >= this.#room || (isCrowded && ofNetwork >= this.#room * shareOfNetwork)) return false;
    this.#firstCount++;
    this.#ofNetwork.set(network, ofNetwork + 1);
    return true;
  }

  #hasPart(taken: number): boolean {
    const part = this.#perMinute / Math.max(this.#errorsBefore, this.#ofError.size, 1);
    if (taken + 1 > part || this.#sharedCount + 1 > this.#perMinute) return false;
    this.#sharedCount++;
    return true;
  }
}
