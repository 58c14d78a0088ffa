import { ServiceError, type Clock, type StatusChangeLimit as HostStatusChangeLimit } from "@faultline/plugin";
import { BoundedMap, TokenBucket } from "@faultline/plugin/flow";
import { ErrorReason } from "@faultline/proto";

/** Changes of status that a person may make in a minute, in all projects together. */
const perMinute = 5_000;

const bucketsKept = 30_000;

/** The changes to make, and who makes them. */
interface Changes {
  /** 0 for a plugin, which makes few changes. */
  readonly userId: number;
  /** More changes than a minute allows count as a minute's worth. */
  readonly count: number;
  /**
   * Whether the changes restore the previous status. Counted separately, so that a person can always undo the changes
   * that the limit allowed.
   */
  readonly isUndo?: boolean;
}

/**
 * Limits how many statuses a person changes because each change is evaluated for rules, people and trackers: 23,000
 * changes in ten seconds kept the messages of others waiting for 27 s. In memory, separate in each process.
 */
export class StatusChangeLimit implements HostStatusChangeLimit {
  readonly #clock: Clock;
  readonly #buckets = new BoundedMap<string, TokenBucket>(bucketsKept);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Makes changes, or refuses them with RATE_LIMITED. Failed changes do not count; `made` returns the actual number if
   * `count` is a guess.
   */
  async within<T>(changes: Changes, make: () => Promise<T>, made?: (result: T) => number): Promise<T> {
    const count = Math.min(changes.count, perMinute);
    if (changes.userId === 0) return make();
    const bucket = this.#bucketOf(`${changes.userId}/${changes.isUndo ?? false}`);
    const waitSeconds = bucket.secondsUntil(count);
    if (waitSeconds > 0) throw exceeded(count, Math.ceil(waitSeconds));
    bucket.take(count);
    try {
      const result = await make();
      if (made) bucket.giveBack(Math.max(0, count - made(result)));
      return result;
    } catch (failure) {
      bucket.giveBack(count);
      throw failure;
    }
  }

  #bucketOf(key: string): TokenBucket {
    const now = this.#clock.now();
    const bucket = this.#buckets.get(key) ?? new TokenBucket(perMinute, perMinute / 60, now);
    this.#buckets.set(key, bucket); // moves it to the end: it is the last one used
    bucket.fill(now);
    return bucket;
  }
}

function exceeded(count: number, seconds: number): ServiceError {
  const most = perMinute.toLocaleString("en-US");
  const these = count === 1 ? "this error" : `these ${count.toLocaleString("en-US")} errors`;
  return new ServiceError(
    ErrorReason.RATE_LIMITED,
    `You can change the status of ${most} errors per minute. Try ${these} again in ${seconds} s. Nothing was changed.`,
    { retryAfterSeconds: seconds },
  );
}
