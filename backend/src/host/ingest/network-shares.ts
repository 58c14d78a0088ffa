import { widerNetworks } from "@faultline/plugin";

/** The share of a bucket that a sender's network may take while others want tokens too. */
const shareOfNetwork = 1 / 5;

/**
 * The shares of the wider networks around it, a /56 and a /48 (see `widerNetworks`). A site has one such network, which
 * limits all its /64s together.
 */
const sharesAround = [3 / 10, 2 / 5];

/** Shares count when this part of a bucket is left. It is also the debt that networks below their share may cause. */
const reserve = 1 / 2;

/** How long a network counts as wanting tokens after it asked for some. */
const usuallyWantsMs = 60_000;

/** The most networks of a width that a bucket remembers. All others share one place. */
const networksRemembered = 256;

/** The least time between two checks for networks that can be forgotten. */
const sweepMs = 100;

/**
 * Divides a bucket among the networks of its senders, so that a flood from one network does not silence the others.
 * Each has a separate bucket with a fifth of the size and rate; the wider networks around it have larger shares. While
 * another network wants tokens too,
 *
 * - a network that took more than its share gets nothing of the last half;
 * - a network that took less may take the last half, and the same amount again as a debt of the bucket, because an
 *   earlier flood may have taken everything.
 *
 * A network that is alone, such as a server that reports a storm, may take everything, because no other network needs
 * it. The mean rate of a key holds in any case: time pays the debt back before a network beyond its share gets
 * anything.
 */
export class NetworkShares {
  readonly #size: number;
  readonly #own: SharesOfWidth;
  readonly #around: readonly SharesOfWidth[];

  /**
   * Size and rate (a second) of the bucket. `wantsMs`: how long a network counts as wanting tokens after it asked.
   * `share`: the share of a network.
   */
  constructor(size: number, rate: number, { wantsMs = usuallyWantsMs, share = shareOfNetwork } = {}) {
    this.#size = size;
    const sharesOf = (part: number) => new SharesOfWidth(size * part, rate * part, wantsMs);
    this.#own = sharesOf(share);
    this.#around = sharesAround.map(sharesOf);
  }

  /**
   * A network asks for tokens. Returns how many must stay in the bucket, or the debt that is allowed as a negative
   * number.
   */
  floor(network: string, now: number): number {
    let use = this.#own.ask(network, now);
    const wider = widerNetworks(network);
    for (const [n, around] of this.#around.entries()) {
      const site = wider[n];
      if (site === undefined) {
        around.want(network, now);
        continue;
      }
      const ofSite = around.ask(site, now);
      if (ofSite === "above" || use === "alone") use = ofSite;
    }
    if (use === "alone") return 0;
    return use === "above" ? this.#size * reserve : -this.#size * reserve;
  }

  /** A network that asked took tokens. */
  take(network: string, amount: number): void {
    this.#own.take(network, amount);
    for (const [n, wider] of widerNetworks(network).entries()) this.#around[n]?.take(wider, amount);
  }
}

/** The shares of networks of one width. */
class SharesOfWidth {
  readonly #size: number;
  readonly #rate: number;
  readonly #wantsMs: number;
  /** The rest of each network's share. Full shares are not remembered. */
  readonly #left = new Map<string, Share>();
  /** The shared place of all networks that are not remembered. */
  readonly #crowd: Share;
  /** The network that asked last, and the last other network. */
  #latest = { network: "", at: -Infinity };
  #other = { network: "", at: -Infinity };
  #sweptAt = -Infinity;

  /** Size and rate (a second) of one share. */
  constructor(size: number, rate: number, wantsMs: number) {
    this.#size = size;
    this.#rate = rate;
    this.#wantsMs = wantsMs;
    this.#crowd = { tokens: size, filledAt: 0 };
  }

  /** A network without a share of this width asks for tokens, so the others are not alone. */
  want(network: string, now: number): void {
    if (this.#latest.network !== network) [this.#other, this.#latest] = [this.#latest, { network, at: now }];
    else this.#latest.at = now;
  }

  /** A network asks for tokens. Returns whether it is alone, or above or below its share. */
  ask(network: string, now: number): "alone" | "above" | "below" {
    this.want(network, now);
    const share = this.#fill(this.#place(network, now), now);
    if (now - this.#other.at > this.#wantsMs) return "alone";
    return share.tokens >= 1 ? "below" : "above";
  }

  take(network: string, amount: number): void {
    const share = this.#left.get(network) ?? this.#crowd;
    // Bytes and milliseconds may take more than the share has: the network is above its share until that is paid back.
    share.tokens = Math.max(-this.#size, share.tokens - amount);
  }

  #place(network: string, now: number): Share {
    const known = this.#left.get(network);
    if (known) return known;
    if (this.#left.size >= networksRemembered) this.#sweep(now);
    if (this.#left.size >= networksRemembered) return this.#crowd;
    const share = { tokens: this.#size, filledAt: now };
    this.#left.set(network, share);
    return share;
  }

  #fill(share: Share, now: number): Share {
    const seconds = Math.max(0, now - share.filledAt) / 1000;
    share.filledAt = now;
    share.tokens = Math.min(this.#size, share.tokens + seconds * this.#rate);
    return share;
  }

  /** Forgets networks with a full share: after a single event, a share is full again within a fraction of a second. */
  #sweep(now: number): void {
    if (now - this.#sweptAt < sweepMs) return;
    this.#sweptAt = now;
    for (const [network, share] of this.#left) {
      if (this.#fill(share, now).tokens === this.#size) this.#left.delete(network);
    }
  }
}

/**
 * Two numbers instead of a TokenBucket with size and rate: each event reads ten of thousands of shares, and was 15 %
 * slower with token buckets.
 */
interface Share {
  tokens: number;
  filledAt: number;
}
