import { ServiceError, type CallAllowance, type CallLimitName, type Clock } from "@faultline/plugin";
import { TokenBucket, FairQueue } from "@faultline/plugin/flow";
import { ErrorReason } from "@faultline/proto";
import type { Caller } from "./caller.ts";
import type { Grant } from "./grants.ts";

/** The size of a burst: the calls of this many seconds. */
const burstSeconds = 10;

/**
 * Calls a second, as a multiple of a token's limit. The console's pages call on behalf of a person with a session: an
 * open page makes ten calls at first and one or two a second while it is updated, so this is enough for a hundred tabs.
 * The limit is separate so that a script does not lock its owner out of the console.
 */
const timesOfToken: Readonly<Record<CallLimitName, number>> = { token: 1, person: 2, session: 4 };

/**
 * Milliseconds of the event loop that a call may take. Each further period of this length counts as another call. With
 * the default of 50 calls a second, a token has 250 ms of each second, and its person and the person's sessions 400 ms
 * each.
 */
const msOfCall: Readonly<Record<CallLimitName, number>> = { token: 5, person: 4, session: 2 };

/**
 * The most milliseconds charged for a call. While a call waits, its part of the loop's time is the work of others: a
 * usual call has a few milliseconds of work, and a long call that waits must not cost its caller the limit.
 */
const mostMs = { usual: 10, large: 500 };

/** Methods that take up to 1,000 entries a call. Imports and bulk services send a hundred such calls a second. */
const reports = new Set(["IngestService.ReportEvents", "IngestService.ReportSessions", "IngestService.ReportFeedback"]);
const timesOfReports = 10;

/**
 * The part of the time from which a report is charged as another call, so that reports get half of a core and not
 * several.
 */
const partOfReports = 1 / 8;

const perSecond = { token: "One token", person: "The tokens of one person", session: "The sessions of one person" };

/**
 * Limits how many calls a token and a person may make: token buckets in memory, separate in each process. They are
 * checked once for each call from outside, on arrival. A call costs 1 to 4 ms of a core (one error, a hundred), which
 * is the basis of the default of 50. A call that took longer is charged for more calls when it ends, which may leave a
 * debt. Reports have separate buckets because they come in bulk and are bounded by the speed of storing.
 */
export class CallLimits {
  readonly #clock: Clock;
  readonly #perToken: number;
  /**
   * Buckets used within the last twenty seconds, the latest last. A bucket unused for longer is full again, unless it
   * has a debt to pay back first.
   */
  readonly #buckets = new Map<string, Bucket>();

  /** `perToken`: calls a second for each token; 0 means no limit. */
  constructor(clock: Clock, perToken: number) {
    this.#clock = clock;
    this.#perToken = perToken;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /**
   * Takes `count` calls from each limit of the caller; all but one may be a debt. If a limit is used up, takes none and
   * sets `refusal`. Returns the limit with the least room; undefined if no limit applies. `method` is `Service.Method`;
   * without it, the call is not a report.
   */
  spend(caller: Pick<Caller, "user" | "scopes" | "tokenId">, method = "", count = 1): CallAllowance | undefined {
    if (this.#perToken === 0) return undefined;
    const buckets = this.#bucketsOf(caller, method);
    const tightest = buckets.reduce((least, bucket) => (bucket.secondsToRoom > least.secondsToRoom ? bucket : least));
    if (tightest.secondsToRoom > 0) return tightest.exceeded(buckets);
    for (const bucket of buckets) bucket.take(count);
    return buckets.reduce((least, bucket) => (bucket.remaining < least.remaining ? bucket : least)).allowance(buckets);
  }

  /**
   * Charges a call that has ended for the milliseconds of the event loop that it took. `isLarge` allows a higher
   * charge.
   */
  charge(
    caller: Pick<Caller, "user" | "scopes" | "tokenId">,
    { method, ms, isLarge }: { method: string; ms: number; isLarge: boolean },
  ): void {
    if (this.#perToken === 0) return;
    const isReport = reports.has(method);
    const part = isReport ? partOfReports : 1;
    const charged = Math.min(ms, isLarge || isReport ? mostMs.large : mostMs.usual);
    for (const bucket of this.#bucketsOf(caller, method)) {
      const calls = charged / (msOfCall[bucket.name] * part);
      if (calls > 1) bucket.take(calls - 1); // the first was taken when the call began
    }
  }

  #bucketsOf(caller: Pick<Caller, "user" | "scopes" | "tokenId">, method: string): readonly [Bucket, ...Bucket[]] {
    const now = this.#clock.now();
    this.#forgetFull(now);
    const isReport = reports.has(method);
    const of = (name: CallLimitName, id: number) => this.#bucket(name, { id, isReport, now });
    return caller.scopes === "session"
      ? [of("session", caller.user.id)]
      : [of("person", caller.user.id), of("token", caller.tokenId ?? 0)];
  }

  #bucket(name: CallLimitName, { id, isReport, now }: { id: number; isReport: boolean; now: number }): Bucket {
    const key = `${name}/${id}/${isReport}`;
    const rate = this.#perToken * timesOfToken[name] * (isReport ? timesOfReports : 1);
    const bucket = this.#buckets.get(key) ?? new Bucket(name, rate, now);
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    bucket.tokens.fill(now);
    return bucket;
  }

  #forgetFull(now: number): void {
    for (const [key, bucket] of this.#buckets) {
      if (now - bucket.tokens.filledAt < 2 * burstSeconds * 1000) return;
      this.#buckets.delete(key);
    }
  }
}

class Bucket {
  readonly name: CallLimitName;
  /** Tokens, one per call. */
  readonly tokens: TokenBucket;
  readonly #rate: number;

  constructor(name: CallLimitName, rate: number, now: number) {
    this.name = name;
    this.#rate = rate;
    this.tokens = new TokenBucket(rate * burstSeconds, rate, now);
  }

  /** Takes calls, even more than are left; the debt is at most a burst. */
  take(calls: number): void {
    this.tokens.take(calls, this.tokens.size);
  }

  get remaining(): number {
    return Math.max(0, Math.floor(this.tokens.tokens));
  }

  /** Whole seconds until a call may pass; 0 means now. */
  get secondsToRoom(): number {
    return Math.ceil(this.tokens.secondsUntil(1));
  }

  allowance(all: readonly Bucket[]): CallAllowance {
    return {
      name: this.name,
      limit: this.tokens.size,
      remaining: this.remaining,
      resetSeconds: Math.ceil(this.tokens.secondsUntil(this.tokens.size)),
      policies: all.map(({ name, tokens }) => ({ name, limit: tokens.size, seconds: burstSeconds })),
    };
  }

  exceeded(all: readonly Bucket[]): CallAllowance {
    const seconds = this.secondsToRoom;
    const rate = this.#rate.toLocaleString("en-US");
    const refusal = new ServiceError(
      ErrorReason.RATE_LIMITED,
      `${perSecond[this.name]} may make ${rate} calls per second, with bursts of ten times as many. A slow call counts as several. Try again in ${seconds} s. ` +
        "To make fewer calls, request larger pages, and watch a list instead of polling it.",
      { retryAfterSeconds: seconds },
    );
    return { ...this.allowance(all), remaining: 0, resetSeconds: seconds, refusal };
  }
}

/** Large calls that run concurrently: each may keep the event loop and a database reader busy for a second. */
const atOnce = 2;

/** Large calls of a person that may wait; further calls are refused. */
const waitingOfPerson = 5;

const retryAfterSeconds = 3;

/** Runs the calls of methods with the option `large`, see role.proto. */
export class LargeCalls {
  readonly #queue = new FairQueue({
    atOnce,
    ofOwner: 1,
    waitingOfOwner: waitingOfPerson,
    refusal: () =>
      new ServiceError(
        ErrorReason.TOO_MANY_ATTEMPTS,
        `You have ${waitingOfPerson + 1} large calls in progress. Wait until one of them has ended.`,
        { retryAfterSeconds },
      ),
  });

  /** Runs a call in its turn. Refuses with TOO_MANY_ATTEMPTS if too many calls of the person wait. */
  run<T>(
    { caller, grant, signal }: { caller: Caller; grant: Grant; signal?: AbortSignal | undefined },
    task: () => Promise<T>,
  ): Promise<T> {
    const left = () => new ServiceError(ErrorReason.OVERLOADED, "The caller disconnected before the answer was ready.");
    return this.#queue.run({ owners: [`user ${caller.user.id}`, `project ${grant.project.id}`], signal, left }, task);
  }
}

/**
 * Far more than the pages that anybody keeps open. Each watch holds memory, and its rights are checked twice a second.
 */
const mostPerUser = 100;

/** Counts the watching calls of each user. */
export class OpenWatches {
  readonly #counts = new Map<number, number>();

  /** Counts another watch until the returned function is called; refuses with LIMIT_REACHED. */
  begin(userId: number): () => void {
    const count = this.#counts.get(userId) ?? 0;
    if (count >= mostPerUser) {
      throw new ServiceError(
        ErrorReason.LIMIT_REACHED,
        `You have ${mostPerUser} pages or programs open that receive live updates. Close some of them.`,
      );
    }
    this.#counts.set(userId, count + 1);
    return () => {
      const left = (this.#counts.get(userId) ?? 0) - 1;
      if (left > 0) this.#counts.set(userId, left);
      else this.#counts.delete(userId);
    };
  }
}
