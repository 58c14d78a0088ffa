import {
  listsToAnnounce,
  type Admission,
  type Announcements,
  type Clock,
  type Cost,
  type CostAccount,
  type CostLimit,
  type RateCategory,
  type RateLimit,
} from "@faultline/plugin";
import { Delayed, TokenBucket } from "@faultline/plugin/flow";
import { NetworkShares } from "./network-shares.ts";

/** A limit admits a burst of this many seconds. */
const burstSeconds = 10;

/**
 * The cost a second that bodies may have for each item that the key or project may send: bytes after decompression, and
 * milliseconds of the event loop. A usual item costs a fraction of both; an event of 5 kB takes 0.15 ms.
 */
const costOfItem: Readonly<Record<keyof Cost, number>> = { bytes: 64 * 1024, ms: 1 };

/** Limits of fewer items still allow the cost of this many items: 19 MiB and 300 ms a second. */
const leastItemsOfCost = 300;

/** The used share of a limit at which the service asks senders to slow down. */
const nearlyUsed = 0.9;

/**
 * How often a process announces the tokens it took, and the shares of a burst that are announced, and announced
 * immediately.
 */
const announceMs = 250;
const announcedFrom = 0.01;
const announcedAtOnceFrom = 0.1;

/** Items a second; 0 means no limit. */
export interface Rates {
  readonly perKey: number;
  readonly perProject: number;
}

/** The tokens that a process took from a bucket of a key or project. */
type Taken = readonly [scope: RateLimit["scope"], name: string, count: number];

/**
 * The rate limits of client keys and projects: token buckets in memory, one per category of items, and one each for the
 * bytes and the time of bodies of all categories.
 *
 * Each process has buckets of the whole size and subtracts the tokens that the others announce, so that the limits hold
 * for all processes together. It knows the networks only of its own tokens. A process may miss up to 10 % of a burst of
 * each other process, and the tokens taken during the few milliseconds of an announcement. A burst may exceed the limit
 * by that amount. The excess is a debt against the next seconds, so the mean holds. A restarted process does not know
 * earlier tokens, so it may admit one more burst.
 */
export class RateLimits {
  readonly #clock: Clock;
  readonly #announcements: Announcements;
  readonly #subject: string;
  readonly #buckets: Readonly<Record<RateLimit["scope"], Buckets>>;
  /** The buckets with unannounced tokens. */
  readonly #unannounced = new Set<Bucket>();
  readonly #announcing = new Delayed(announceMs, () => this.#announce());

  /** `subject`: the subject of the announcements of these limits. */
  constructor(clock: Clock, { perKey, perProject }: Rates, announcements: Announcements, subject = "rate limits") {
    this.#clock = clock;
    this.#announcements = announcements;
    this.#subject = subject;
    this.#buckets = { key: new Buckets("key", perKey), project: new Buckets("project", perProject) };
    announcements.subscribe(subject, (text) => {
      for (const [scope, name, count] of JSON.parse(text) as Taken[]) {
        const [id = "", ...held] = name.split("/");
        this.#buckets[scope].of(Number(id), held.join("/"), this.#clock.now()).take(count);
      }
    });
  }

  /** See EventDoor.spend. An item that either limit refuses takes nothing from the other limit. */
  spend({ keyId, projectId, network }: Admission, category: RateCategory, count = 1): RateLimit | undefined {
    const now = this.#clock.now();
    const key = this.#buckets.key.of(keyId, category, now);
    const project = this.#buckets.project.of(projectId, category, now);
    const floor = key.floor(network, now);
    const isExceeded = key.isEmpty(floor) || project.isEmpty();
    if (!isExceeded) for (const bucket of [key, project]) this.#take(bucket, count, network);
    const [ofKey, ofProject] = [key.secondsToRoom(floor), project.secondsToRoom()];
    const { scope } = ofKey >= ofProject ? key : project;
    const seconds = Math.max(ofKey, ofProject);
    return seconds === 0 ? undefined : { reason: "rate_limit", isExceeded, retryAfterSeconds: seconds, scope };
  }

  /** See EventDoor.costLimit. */
  costLimit(admission: Admission, account: CostAccount): CostLimit | undefined {
    let longest: CostLimit | undefined;
    const now = this.#clock.now();
    for (const of of costs) {
      for (const bucket of this.#costBuckets(admission, { account, of, now })) {
        const floor = bucket.floor(admission.network, now);
        const seconds = bucket.secondsToRoom(floor);
        if (!bucket.isEmpty(floor) || seconds <= (longest?.retryAfterSeconds ?? 0)) continue;
        longest = { reason: "rate_limit", isExceeded: true, retryAfterSeconds: seconds, scope: bucket.scope, of };
      }
    }
    return longest;
  }

  /** See EventDoor.charge. */
  charge(admission: Admission, account: CostAccount, cost: Cost): void {
    const now = this.#clock.now();
    for (const of of costs) {
      const amount = cost[of];
      if (amount === undefined) continue;
      for (const bucket of this.#costBuckets(admission, { account, of, now })) {
        this.#take(bucket, amount, admission.network);
      }
    }
  }

  #costBuckets(
    { keyId, projectId }: Admission,
    { account, of, now }: { account: CostAccount; of: keyof Cost; now: number },
  ): readonly Bucket[] {
    const held = account === "default" ? of : (`${account}/${of}` as const);
    return [this.#buckets.key.of(keyId, held, now), this.#buckets.project.of(projectId, held, now)];
  }

  #take(bucket: Bucket, amount: number, network: string): void {
    bucket.takeFor(network, amount);
    if (bucket.isUnlimited) return;
    this.#unannounced.add(bucket);
    if (bucket.unannouncedShare >= announcedAtOnceFrom) this.#announcing.now();
    this.#announcing.later();
  }

  /** Announces the tokens taken, but waits for at least 1 % of a burst. */
  #announce(): void {
    const buckets = [...this.#unannounced].filter(({ unannouncedShare }) => unannouncedShare >= announcedFrom);
    for (const bucket of buckets) this.#unannounced.delete(bucket);
    const taken = buckets.map((bucket): Taken => [bucket.scope, bucket.name, bucket.takeUnannounced()]);
    for (const list of listsToAnnounce(taken)) this.#announcements.announce(this.#subject, list);
  }
}

const costs = ["bytes", "ms"] as const satisfies readonly (keyof Cost)[];

/**
 * The buckets of all keys, or of all projects, by id and content: a category, or a cost. Nested maps instead of one map
 * with joined names: an event looks up ten buckets, and joining and hashing their names took 1.6 of 2.9 microseconds.
 */
class Buckets {
  readonly #scope: RateLimit["scope"];
  readonly #items: number;
  readonly #buckets = new Map<number, Map<string, Bucket>>();

  /** `items`: items of a category a second; 0 means no limit. */
  constructor(scope: RateLimit["scope"], items: number) {
    this.#scope = scope;
    this.#items = items;
  }

  of(id: number, held: string, now: number): Bucket {
    let ofId = this.#buckets.get(id);
    if (!ofId) {
      ofId = new Map();
      this.#buckets.set(id, ofId);
    }
    let bucket = ofId.get(held);
    if (!bucket) {
      bucket = new Bucket(this.#scope, `${id}/${held}`, { rate: this.#rateOf(held), now });
      ofId.set(held, bucket);
    }
    bucket.fill(now);
    return bucket;
  }

  #rateOf(held: string): number {
    const cost = costs.find((of) => held === of || held.endsWith(`/${of}`));
    return cost && this.#items > 0 ? Math.max(this.#items, leastItemsOfCost) * costOfItem[cost] : this.#items;
  }
}

class Bucket extends TokenBucket {
  readonly scope: RateLimit["scope"];
  readonly name: string;
  #unannounced = 0;
  /** The shares of its networks. Undefined for a project, which does not limit the senders of a key. */
  readonly #shares: NetworkShares | undefined;

  constructor(scope: RateLimit["scope"], name: string, { rate, now }: { rate: number; now: number }) {
    const perSecond = rate === 0 ? Infinity : rate;
    super(perSecond * burstSeconds, perSecond, now);
    this.scope = scope;
    this.name = name;
    this.#shares = scope === "key" && rate > 0 ? new NetworkShares(this.size, perSecond) : undefined;
  }

  get isUnlimited(): boolean {
    return this.size === Infinity;
  }

  /** The tokens that an asking network must leave. See NetworkShares. */
  floor(network: string, now: number): number {
    return this.#shares?.floor(network, now) ?? 0;
  }

  isEmpty(floor = 0): boolean {
    return this.tokens - floor < 1;
  }

  /** Whole seconds until less than 90 % is used; 0 if less is used now. */
  secondsToRoom(floor = 0): number {
    return Math.ceil(this.secondsUntil(this.size * (1 - nearlyUsed) + floor));
  }

  /** Takes tokens, even more than the bucket has. */
  takeFor(network: string, amount: number): void {
    this.take(amount);
    this.#unannounced += amount;
    this.#shares?.take(network, amount);
  }

  /** The unannounced tokens, as a share of the burst. */
  get unannouncedShare(): number {
    return this.#unannounced / this.size;
  }

  /** The tokens taken since the last announcement. */
  takeUnannounced(): number {
    const taken = this.#unannounced;
    this.#unannounced = 0;
    return taken;
  }
}
