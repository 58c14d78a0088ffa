import { AsyncResource } from "node:async_hooks";
import { setImmediate, setTimeout as pause } from "node:timers/promises";
import type { Clock } from "./host/host.ts";

export interface QueueBounds {
  /** Concurrent tasks. */
  readonly atOnce: number;
  /** Concurrent tasks of one owner, the same for all owners or by owner. Default: `atOnce`. */
  readonly ofOwner?: number | ((owner: string) => number);
  /** Tasks of one first owner that may wait, ahead or not; default: any number. */
  readonly waitingOfOwner?: number;
  /** Tasks that may wait together; default: any number. Tasks that go ahead are counted separately. */
  readonly waiting?: number;
  /** The error for a task beyond `waitingOfOwner` or `waiting`. */
  readonly refusal?: () => Error;
}

/** Whose a task is, and when it need not wait any longer. */
export interface Turn {
  /**
   * The first owner takes turns with the others of its kind, such as people or projects. None of the owners has more than `ofOwner`
   * tasks running.
   */
  readonly owners: readonly [string, ...string[]];
  /** Goes ahead of all tasks that do not. */
  readonly isAhead?: boolean;
  /** Once it is aborted, a task that waits never begins; the caller gets `left()`. */
  readonly signal?: AbortSignal | undefined;
  readonly left?: () => Error;
}

/** Runs tasks of several owners, some of them concurrently. Owners take turns, however many tasks each of them has waiting. */
export class FairQueue {
  readonly #bounds: QueueBounds;
  readonly #running = new Map<string, number>();
  /** Waiting tasks by owner; the owner with the oldest turn comes first. */
  readonly #lines = { ahead: new Map<string, Waiting[]>(), others: new Map<string, Waiting[]>() };
  #free: number;

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
    this.#free = bounds.atOnce;
  }

  /** Tasks that run or wait. */
  get underWay(): number {
    const waiting = waitingIn(this.#lines.ahead) + waitingIn(this.#lines.others);
    return this.#bounds.atOnce - this.#free + waiting;
  }

  /** Runs a task at its turn. Fails with `refusal()` if too many wait, and with `left()` if the caller left before. */
  async run<T>(turn: Turn, task: () => Promise<T>): Promise<T> {
    await this.#turn(turn);
    try {
      return await task();
    } finally {
      this.#free += 1;
      for (const owner of new Set(turn.owners)) {
        const left = (this.#running.get(owner) ?? 0) - 1;
        if (left > 0) this.#running.set(owner, left);
        else this.#running.delete(owner);
      }
      this.#beginWhatMay();
    }
  }

  #turn({ owners, isAhead = false, signal, left = () => new Error("left") }: Turn): Promise<void> {
    if (signal?.aborted) return Promise.reject(left());
    const lines = isAhead ? this.#lines.ahead : this.#lines.others;
    const [owner] = owners;
    const line = lines.get(owner) ?? [];
    return new Promise((resolve, reject) => {
      const leave = () => {
        remove(lines, waiting);
        reject(left());
      };
      const begin = AsyncResource.bind(() => {
        signal?.removeEventListener("abort", leave);
        resolve();
      });
      const waiting = { owners, begin };
      line.push(waiting);
      lines.set(owner, line);
      this.#beginWhatMay();
      if (!line.includes(waiting)) return;
      const { waitingOfOwner = Infinity, waiting: most = Infinity, refusal } = this.#bounds;
      const ofOwner = waitingOf(this.#lines.ahead, owner) + waitingOf(this.#lines.others, owner);
      if (ofOwner > waitingOfOwner || waitingIn(lines) > most) {
        remove(lines, waiting);
        reject(refusal?.() ?? new Error("too many wait"));
      } else signal?.addEventListener("abort", leave, { once: true });
    });
  }

  #beginWhatMay(): void {
    while (this.#free > 0) {
      const lines = [this.#lines.ahead, this.#lines.others].find((some) => this.#next(some));
      const next = lines && this.#next(lines);
      if (!lines || !next) return;
      const [owner] = next.owners;
      remove(lines, next);
      const others = lines.get(owner);
      lines.delete(owner);
      if (others) lines.set(owner, others); // after the other owners
      this.#free -= 1;
      for (const one of new Set(next.owners)) this.#running.set(one, (this.#running.get(one) ?? 0) + 1);
      next.begin();
    }
  }

  #next(lines: Lines): Waiting | undefined {
    const { atOnce, ofOwner = atOnce } = this.#bounds;
    const most = typeof ofOwner === "number" ? () => ofOwner : ofOwner;
    const mayRun = (owner: string) => (this.#running.get(owner) ?? 0) < most(owner);
    for (const [owner, line] of lines) {
      const next = mayRun(owner) ? line.find(({ owners }) => owners.every(mayRun)) : undefined;
      if (next) return next;
    }
    return undefined;
  }
}

type Lines = Map<string, Waiting[]>;

interface Waiting {
  readonly owners: readonly [string, ...string[]];
  readonly begin: () => void;
}

function remove(lines: Lines, waiting: Waiting): void {
  const [owner] = waiting.owners;
  const line = lines.get(owner) ?? [];
  line.splice(line.indexOf(waiting), 1);
  if (line.length === 0) lines.delete(owner);
}

const waitingOf = (lines: Lines, owner: string): number => lines.get(owner)?.length ?? 0;

const waitingIn = (lines: Lines): number => [...lines.values()].reduce((sum, line) => sum + line.length, 0);

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

  /** Seconds until the bucket has the tokens; 0 if it has them now. */
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

const keysKept = 30_000;

/** The recent times of an act, by key. In memory: the keys used last, each with its latest times. */
export class RecentTimes {
  readonly #clock: Clock;
  readonly #windowMs: number;
  readonly #timesKept: number;
  readonly #times = new BoundedMap<string, readonly number[]>(keysKept);

  constructor(clock: Clock, { windowMs, timesKept }: { windowMs: number; timesKept: number }) {
    this.#clock = clock;
    this.#windowMs = windowMs;
    this.#timesKept = timesKept;
  }

  /** The times within the window, the earliest first; when there were more than are kept, the latest of them. */
  of(key: string): readonly number[] {
    const now = this.#clock.now();
    // After the clock jumped back, times noted before the jump would count for longer than the window.
    return (this.#times.get(key) ?? []).filter((at) => at > now - this.#windowMs && at <= now);
  }

  /** Whole seconds until the earliest of the kept times leaves the window. */
  secondsUntilFewer(key: string): number {
    const [earliest = this.#clock.now()] = this.of(key);
    return Math.max(1, Math.ceil((earliest + this.#windowMs - this.#clock.now()) / 1000));
  }

  note(key: string): void {
    this.#keep(key, [...this.of(key), this.#clock.now()].slice(-this.#timesKept));
  }

  /** Removes the latest time. */
  takeBack(key: string): void {
    this.#keep(key, this.of(key).slice(0, -1));
  }

  forget(key: string): void {
    this.#times.delete(key);
  }

  #keep(key: string, times: readonly number[]): void {
    if (times.length === 0) this.#times.delete(key);
    else this.#times.set(key, times);
  }
}

/** A map with a maximum of entries: the entry that was set longest ago makes room for a new entry. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #most: number;
  readonly #onDropped: (value: V) => void;

  constructor(most: number, onDropped: (value: V) => void = () => undefined) {
    super();
    this.#most = most;
    this.#onDropped = onDropped;
  }

  /** The entry becomes the newest, also if the map had it before. */
  override set(key: K, value: V): this {
    this.delete(key);
    if (this.size >= this.#most) this.#dropOldest();
    return super.set(key, value);
  }

  #dropOldest(): void {
    for (const [oldest, dropped] of this) {
      this.delete(oldest);
      this.#onDropped(dropped);
      return;
    }
  }
}

/** The longest that a slice of work keeps the event loop, and with it ingestion, in milliseconds. */
const sliceMs = 2;

/** Divides work on the event loop into slices, between which everything else has its turn. */
export class LoopSlices {
  #began = performance.now();

  /** Resolves immediately within a slice, and otherwise after everything that waits. */
  async next(): Promise<void> {
    if (performance.now() - this.#began < sliceMs) return;
    await setImmediate();
    this.#began = performance.now();
  }
}

/** Does a piece of work once, some time after the first request for it, so that it serves all requests meanwhile. */
export class Delayed {
  readonly #delayMs: number;
  readonly #work: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(delayMs: number, work: () => void) {
    this.#delayMs = delayMs;
    this.#work = work;
  }

  /** Keeps no process alive. */
  later(): void {
    this.#timer ??= setTimeout(() => this.now(), this.#delayMs).unref();
  }

  /** Does the work now instead of later. */
  now(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#work();
  }
}

/** Is due at most once per interval, the first time immediately. For messages that would otherwise fill the log. */
export class OncePer {
  readonly #intervalMs: number;
  readonly #now: () => number;
  #lastAt = Number.NEGATIVE_INFINITY;

  /** `now` is a clock that no jump changes. */
  constructor(intervalMs: number, now = () => performance.now()) {
    this.#intervalMs = intervalMs;
    this.#now = now;
  }

  /** Whether it is due; when it is, the next time is an interval away. */
  take(): boolean {
    const now = this.#now();
    if (now - this.#lastAt < this.#intervalMs) return false;
    this.#lastAt = now;
    return true;
  }
}

/** The wait after one or more failures in a row: it doubles with each failure, up to the longest. */
export function backoff(failures: number, { firstMs, longestMs }: { firstMs: number; longestMs: number }): number {
  return Math.min(firstMs * 2 ** (failures - 1), longestMs);
}

/** 50 to 100 % of a wait, so that callers that failed together do not try again together. `random` is from 0 to 1. */
export const jittered = (ms: number, random: number = Math.random()): number => ms * (0.5 + random / 2);

/** The longest pause in milliseconds, because a stop of the service waits for it. */
const longestPauseMs = 100;

/** Runs a piece of work on the one writer, and then leaves the writer to ingestion for twice as long as the work took. */
export async function inBackground<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  await pause(Math.min(2 * (performance.now() - startedAt), longestPauseMs));
  return result;
}
