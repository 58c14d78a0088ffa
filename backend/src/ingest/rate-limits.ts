import type { Admission, Clock, RateCategory, RateLimit } from "@faultline/plugin";

/** A limit takes this many seconds' worth at once. */
const burstSeconds = 10;

/** From this share of a limit on, senders are told to slow down. */
const nearlyUsed = 0.9;

/** Items a second; 0: no limit. */
export interface Rates {
  readonly perKey: number;
  readonly perProject: number;
}

/** The rate limits of client keys and projects: token buckets in memory, one a category. */
export class RateLimits {
  readonly #clock: Clock;
  readonly #keys: Buckets;
  readonly #projects: Buckets;

  constructor(clock: Clock, { perKey, perProject }: Rates) {
    this.#clock = clock;
    this.#keys = new Buckets(perKey);
    this.#projects = new Buckets(perProject);
  }

  /** See EventDoor.spend. What one of the two limits refuses is not taken from the other. */
  spend({ keyId, projectId }: Admission, category: RateCategory): RateLimit | undefined {
    const now = this.#clock.now();
    const key = this.#keys.of(`${keyId}/${category}`, now);
    const project = this.#projects.of(`${projectId}/${category}`, now);
    const isExceeded = key.isEmpty || project.isEmpty;
    if (!isExceeded) {
      key.take();
      project.take();
    }
    const [seconds, scope] =
      key.secondsToRoom >= project.secondsToRoom
        ? ([key.secondsToRoom, "key"] as const)
        : ([project.secondsToRoom, "project"] as const);
    return seconds === 0 ? undefined : { isExceeded, retryAfterSeconds: seconds, scope };
  }
}

/** The buckets of all keys, or of all projects. */
class Buckets {
  readonly #rate: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: number) {
    this.#rate = rate;
  }

  of(name: string, now: number): Bucket {
    let bucket = this.#buckets.get(name);
    if (!bucket) {
      bucket = new Bucket(this.#rate, now);
      this.#buckets.set(name, bucket);
    }
    bucket.fill(now);
    return bucket;
  }
}

class Bucket {
  readonly #rate: number;
  readonly #size: number;
  #tokens: number;
  #filledAt: number;

  constructor(rate: number, now: number) {
    this.#rate = rate === 0 ? Infinity : rate;
    this.#size = this.#rate * burstSeconds;
    this.#tokens = this.#size;
    this.#filledAt = now;
  }

  fill(now: number): void {
    const seconds = Math.max(0, now - this.#filledAt) / 1000; // a clock that is set back fills nothing
    this.#filledAt = now;
    if (seconds > 0) this.#tokens = Math.min(this.#size, this.#tokens + seconds * this.#rate);
  }

  get isEmpty(): boolean {
    return this.#tokens < 1;
  }

  take(): void {
    this.#tokens -= 1;
  }

  /** Whole seconds until less than 90 % is used; 0 when that is so now. */
  get secondsToRoom(): number {
    const missing = this.#size * (1 - nearlyUsed) - this.#tokens;
    return missing > 0 ? Math.ceil(missing / this.#rate) : 0;
  }
}
