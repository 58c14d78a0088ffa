/** Events of each error that are admitted within a minute, however little of the budget is left. */
const leastOfError = 5;

/** The limit of those in a minute for all new errors together, and for all usual ones: enough for a hundred rare errors each. */
const leastRoom = 600;

/** When half of that room is used, a network may have at most a fifth of it. */
const networksShareFrom = 1 / 2;
const shareOfNetwork = 1 / 5;

const minuteMs = 60_000;

/**
 * Decides which events are admitted during one minute of a spike. The first events of each error are, which is all that
 * a rare error has; the errors share the budget's refill of a minute in equal parts. So only the bulk of the loudest
 * errors is left out.
 *
 * A flood can produce new errors for free, so there is a limit of first events, and within it one for each network of
 * senders. The errors that the project usually has compete with each other alone. The tables hold admitted events only, and so no more entries than there is room.
 */
export class FairMinute {
  readonly #begunAt: number;
  readonly #perMinute: number;
  readonly #room: number;
  readonly #errorsBefore: number;
  readonly #ofError = new Map<string, number>();
  readonly #ofNetwork = new Map<string, number>();
  #firstCount = 0;
  #usualCount = 0;
  #sharedCount = 0;

  /** `perMinute`: the budget's refill of a minute. */
  constructor(now: number, perMinute: number, before?: FairMinute) {
    this.#begunAt = now;
    this.#perMinute = perMinute;
    this.#room = Math.max(leastRoom, perMinute);
    // Otherwise the loudest error, which comes first in each minute, would take the shares of the others.
    this.#errorsBefore = before && now - before.#begunAt < 2 * minuteMs ? before.#ofError.size : 1;
  }

  isOver(now: number): boolean {
    return now - this.#begunAt >= minuteMs || now < this.#begunAt;
  }

  /** Whether an event of this error, from this network, is admitted; if so, it is counted. `isUsual`: the project had it before. */
  lets(error: string, network: string, isUsual: boolean): boolean {
    const ofError = this.#ofError.get(error) ?? 0;
    const hasRoom = () => (isUsual ? this.#hasRoomForUsual() : this.#hasRoom(network));
    const isLet = ofError < leastOfError ? hasRoom() : this.#hasPart(ofError - leastOfError);
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

  #hasRoomForUsual(): boolean {
    if (this.#usualCount >= this.#room) return false;
    this.#usualCount++;
    return true;
  }

  #hasPart(taken: number): boolean {
    const part = this.#perMinute / Math.max(this.#errorsBefore, this.#ofError.size, 1);
    if (taken + 1 > part || this.#sharedCount + 1 > this.#perMinute) return false;
    this.#sharedCount++;
    return true;
  }
}
