import { NetworkShares } from "./network-shares.ts";

/**
 * How long a sender counts as wanting to send more. A limit of a day is used up for hours, so this is longer than for
 * limits of a second.
 */
const wantsMs = 10 * 60_000;

/**
 * The shares of senders in a limit of each minute or day: while several want room, a sender above its share leaves half
 * of the limit to the others, and less towards the end of the window.
 */
export class WindowShares {
  readonly limit: number;
  readonly #windowMs: number;
  readonly #shares: NetworkShares;

  /** `share`: the share of a sender; by default the share of a network. */
  constructor(limit: number, windowMs: number, share?: number) {
    this.limit = limit;
    this.#windowMs = windowMs;
    this.#shares = new NetworkShares(limit, limit / (windowMs / 1000), { wantsMs, share });
  }

  /** A sender asks for room. Returns how much of the limit it must leave to others. */
  left(sender: string, now: number): number {
    const toEnd = 1 - (now % this.#windowMs) / this.#windowMs;
    return Math.max(0, this.#shares.floor(sender, now)) * toEnd;
  }

  /** A sender that asked took some of the limit. */
  take(sender: string, amount: number): void {
    this.#shares.take(sender, amount);
  }
}
