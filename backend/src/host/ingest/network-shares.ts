/** What one network may take of a key's bucket while others want tokens as well. */
const shareOfNetwork = 1 / 5;

/** From which rest of a bucket on the share counts, and how far below nothing those may go who took less than theirs. */
const reserve = 1 / 2;

/** For so long after it asked for tokens a network is one that wants some. */
const wantsMs = 60_000;

/** Networks of which a bucket remembers what they took; all others share one place. */
const networksRemembered = 256;

/** The least time between two looks for networks that need not be remembered. */
const sweepMs = 100;

/**
 * How the networks of senders share a key's bucket, so that one that floods silences no other. Each has a fifth of it, a
 * bucket of its own of a fifth of the size and rate. While another network wants tokens too,
 *
 * - one that took more than its fifth gets nothing of the last half;
 * - one that took less may take the last half, and as much again as a debt of the bucket: a flood that came first and alone
 *   may have taken it all.
 *
 * A network that is alone, such as a server that reports a storm, may take everything, as there is no one to keep it for.
 * The mean rate of a key holds in any case, as time pays the debt back before anybody beyond a fifth gets something.
 */
export class NetworkShares {
  readonly #size: number;
  readonly #rate: number;
  /** What each network that took something has left of its fifth. Full ones are as good as forgotten. */
  readonly #left = new Map<string, Share>();
  /** Stands for all networks that find no place. */
  readonly #crowd: Share;
  /** The network that asked last, and the last other one. */
  #latest = { network: "", at: -Infinity };
  #other = { network: "", at: -Infinity };
  #sweptAt = -Infinity;

  /** Size and rate (a second) of the bucket. */
  constructor(size: number, rate: number) {
    this.#size = size;
    this.#rate = rate;
    this.#crowd = { tokens: size * shareOfNetwork, filledAt: 0 };
  }

  /** A network asks for tokens: how many must stay in the bucket; below 0: how large the bucket's debt may become. */
  floor(network: string, now: number): number {
    if (this.#latest.network !== network) [this.#other, this.#latest] = [this.#latest, { network, at: now }];
    else this.#latest.at = now;
    const share = this.#fill(this.#place(network, now), now);
    if (now - this.#other.at > wantsMs) return 0;
    return share.tokens >= 1 ? -this.#size * reserve : this.#size * reserve;
  }

  /** A network that asked took tokens. */
  take(network: string, amount: number): void {
    const share = this.#left.get(network) ?? this.#crowd;
    share.tokens = Math.max(0, share.tokens - amount);
  }

  #place(network: string, now: number): Share {
    const known = this.#left.get(network);
    if (known) return known;
    if (this.#left.size >= networksRemembered) this.#sweep(now);
    if (this.#left.size >= networksRemembered) return this.#crowd;
    const share = { tokens: this.#size * shareOfNetwork, filledAt: now };
    this.#left.set(network, share);
    return share;
  }

  #fill(share: Share, now: number): Share {
    const seconds = Math.max(0, now - share.filledAt) / 1000;
    share.filledAt = now;
    share.tokens = Math.min(this.#size * shareOfNetwork, share.tokens + seconds * this.#rate * shareOfNetwork);
    return share;
  }

  /** Forgets the networks whose fifth is whole again: of an event now and then it is so within a fraction of a second. */
  #sweep(now: number): void {
    if (now - this.#sweptAt < sweepMs) return;
    this.#sweptAt = now;
    for (const [network, share] of this.#left) {
      if (this.#fill(share, now).tokens === this.#size * shareOfNetwork) this.#left.delete(network);
    }
  }
}

interface Share {
  tokens: number;
  filledAt: number;
}
