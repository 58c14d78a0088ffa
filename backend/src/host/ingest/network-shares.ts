import { widerNetworks } from "@faultline/plugin";

/** The share of a bucket that one network of a sender may take while others want tokens as well. */
const shareOfNetwork = 1 / 5;

/**
 * The shares of the networks around it, as `widerNetworks` gives them: a /56 and a /48. A site has one of these, so all of its /64s
 * together have no more.
 */
const sharesAround = [3 / 10, 2 / 5];

/** The rest of a bucket from which on shares count, and the debt that networks below their share may cause. */
const reserve = 1 / 2;

/** A network counts as one that wants tokens for so long after it asked for some. */
const usuallyWantsMs = 60_000;

/** Networks of one width whose shares a bucket remembers; all others share one place. */
const networksRemembered = 256;

/** The least time between two looks for networks that need not be remembered. */
const sweepMs = 100;

/**
 * Divides a bucket among the networks of its senders, so that one that floods silences no other. Each has a fifth, a
 * bucket of its own of a fifth of the size and rate; the networks around it have larger shares. While another network
 * wants tokens too,
 *
 * - one that took more than its share gets nothing of the last half;
 * - one that took less may take the last half, and as much again as a debt of the bucket: a flood that came first and alone
 *   may have taken it all.
 *
 * A network that is alone, such as a server that reports a storm, may take everything, as no other one needs it.
 * The mean rate of a key holds in any case: time pays the debt back before a network beyond its share gets anything.
 */
export class NetworkShares {
  readonly #size: number;
  readonly #own: SharesOfWidth;
  readonly #around: readonly SharesOfWidth[];

  /**
   * Size and rate (a second) of the bucket. `wantsMs`: how long a network that asked counts as one that wants tokens. `share`: of one
   * network.
   */
  constructor(size: number, rate: number, { wantsMs = usuallyWantsMs, share = shareOfNetwork } = {}) {
    this.#size = size;
    const sharesOf = (part: number) => new SharesOfWidth(size * part, rate * part, wantsMs);
    this.#own = sharesOf(share);
    this.#around = sharesAround.map(sharesOf);
  }

  /** A network asks for tokens: how many must stay in the bucket; below 0: how large the bucket's debt may become. */
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
  /** The rest of each network's share. A full one need not be remembered. */
  readonly #left = new Map<string, Share>();
  /** Stands for all networks that find no place. */
  readonly #crowd: Share;
  /** The network that asked last, and the last other one. */
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

  /** A network asks for tokens that has no share of this width: the others are not alone. */
  want(network: string, now: number): void {
    if (this.#latest.network !== network) [this.#other, this.#latest] = [this.#latest, { network, at: now }];
    else this.#latest.at = now;
  }

  /** A network asks for tokens: whether it is alone, or above or below its share. */
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

  /** Forgets the networks whose share is full again: after a single event it is so within a fraction of a second. */
  #sweep(now: number): void {
    if (now - this.#sweptAt < sweepMs) return;
    this.#sweptAt = now;
    for (const [network, share] of this.#left) {
      if (this.#fill(share, now).tokens === this.#size) this.#left.delete(network);
    }
  }
}

/** Two numbers, and no TokenBucket with its size and rate: each event reads ten of thousands, and was 15 % slower with those. */
interface Share {
  tokens: number;
  filledAt: number;
}
