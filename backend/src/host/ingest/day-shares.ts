import { dayMs, type Admission, type Clock } from "@faultline/plugin";
import { WindowShares } from "./window-shares.ts";

/** The share of a key in the bytes that its project may receive in a day. */
const shareOfKey = 1 / 2;

/** The shares of the senders of a project in the bytes of a day. */
interface ProjectShares {
  readonly networks: WindowShares;
  readonly keys: WindowShares;
}

/**
 * Divides the bytes that a project may receive in a day among its client keys and the networks of their senders, so
 * that a leaked key silences neither the other keys nor the servers that use the same key.
 *
 * Each process knows only the bytes that it accepted itself. Each day starts with full shares.
 */
export class DayShares {
  readonly #clock: Clock;
  readonly #limitOf: (projectId: number) => number;
  readonly #projects = new Map<number, ProjectShares>();
  #day = 0;

  /** `limitOf`: the bytes that a project may receive in a day; 0 means no limit. */
  constructor(clock: Clock, limitOf: (projectId: number) => number) {
    this.#clock = clock;
    this.#limitOf = limitOf;
  }

  /** The bytes of the day that a sender must leave to others. */
  left({ projectId, keyId, network }: Admission): number {
    const limit = this.#limitOf(projectId);
    if (limit === 0 || network === "") return 0;
    const now = this.#clock.now();
    const { networks, keys } = this.#sharesOf(projectId, limit, now);
    return Math.max(networks.left(network, now), keys.left(`${keyId}`, now));
  }

  /** Counts accepted bytes of a sender. */
  take({ projectId, keyId, network }: Admission, bytes: number): void {
    const shares = this.#projects.get(projectId);
    shares?.networks.take(network, bytes);
    shares?.keys.take(`${keyId}`, bytes);
  }

  #sharesOf(projectId: number, limit: number, now: number): ProjectShares {
    const day = Math.floor(now / dayMs);
    if (day !== this.#day) {
      this.#day = day;
      this.#projects.clear();
    }
    let shares = this.#projects.get(projectId);
    if (shares?.networks.limit !== limit) {
      shares = { networks: new WindowShares(limit, dayMs), keys: new WindowShares(limit, dayMs, shareOfKey) };
      this.#projects.set(projectId, shares);
    }
    return shares;
  }
}
