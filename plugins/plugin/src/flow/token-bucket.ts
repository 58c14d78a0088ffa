/**
 * Tokens that come at a steady rate, up to the size of the bucket. The caller passes the time, in milliseconds, and calls
 * `fill` before it asks or takes. A clock that is set back fills nothing.
 */
export class TokenBucket {
  #size: number;
  #perSecond: number;
  #tokens: number;
  #filledAt: number;

  /** It begins full. Size and rate may be infinite. */
  constructor(size: number, perSecond: number, now: number) {
    this.#size = size;
    this.#perSecond = perSecond;
    this.#tokens = size;
    this.#filledAt = now;
  }

  get size(): number {
    return this.#size;
  }

  /** Below 0: the debt. */
  get tokens(): number {
    return this.#tokens;
  }

  get filledAt(): number {
    return this.#filledAt;
  }

  get isFull(): boolean {
    return this.#tokens >= this.#size;
  }

  /** Adds what came since the last time. */
  fill(now: number): void {
    const seconds = (now - this.#filledAt) / 1000;
    this.#filledAt = now;
    if (seconds > 0) this.#tokens = Math.min(this.#size, this.#tokens + seconds * this.#perSecond);
  }

  /** Takes tokens, or more than there are: the rest is a debt, of `mostDebt` at most. */
  take(count: number, mostDebt = Infinity): void {
    this.#tokens = Math.max(-mostDebt, this.#tokens - count);
  }

  giveBack(count: number): void {
    this.#tokens = Math.min(this.#size, this.#tokens + count);
  }

  /** Seconds until there are so many tokens; 0 if there are now. */
  secondsUntil(tokens: number): number {
    const missing = tokens - this.#tokens;
    return missing > 0 ? missing / this.#perSecond : 0;
  }

  /** Another size and rate; what was taken stays taken, without a debt. */
  resize(size: number, perSecond: number): void {
    this.#tokens = Math.max(0, this.#tokens + size - this.#size);
    this.#size = size;
    this.#perSecond = perSecond;
  }
}
