import { AsyncResource } from "node:async_hooks";
import { setImmediate, setTimeout as pause } from "node:timers/promises";
import type { Clock } from "./host/host.ts";

export interface QueueBounds {
  /** Concurrent tasks. */
  readonly atOnce: number;
  /** Concurrent tasks of one owner: one number for all owners, or a number per owner. Default: `atOnce`. */
  readonly ofOwner?: number | ((owner: string) => number);
  /** Tasks of one first owner that may wait, whether ahead or not. Unlimited by default. */
  readonly waitingOfOwner?: number;
  /** Tasks that may wait together. Unlimited by default. Tasks that go ahead are counted separately. */
  readonly waiting?: number;
  /** The error for a task beyond `waitingOfOwner` or `waiting`. */
  readonly refusal?: () => Error;
}

/** The owners of a task, and when the task need not wait any longer. */
export interface Turn {
  /**
   * The first owner takes turns with other owners of its kind, such as people or projects. No owner has more than
   * `ofOwner` tasks running.
   */
  readonly owners: readonly [string, ...string[]];
  /** Runs before all waiting tasks that do not set this. */
  readonly isAhead?: boolean;
  /** After the signal is aborted, a waiting task never begins, and the caller gets `left()`. */
  readonly signal?: AbortSignal | undefined;
  readonly left?: () => Error;
}

/** Runs tasks of several owners, some of them concurrently. Owners take turns, however many of their tasks wait. */
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

  /**
   * Runs a task when its turn comes. Fails with `refusal()` if too many tasks wait, and with `left()` if the caller
   * left before.
   */
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
 * A bucket of tokens that refills at a steady rate. The caller passes the time in milliseconds, and calls `fill` before
 * it asks or takes. A clock that is set back adds nothing.
 */
export class TokenBucket {
  #size: number;
  #perSecond: number;
  #tokens: number;
  #filledAt: number;

  /** The bucket begins full. Size and rate may be infinite. */
  constructor(size: number, perSecond: number, now: number) {
    this.#size = size;
    this.#perSecond = perSecond;
    this.#tokens = size;
    this.#filledAt = now;
  }

  get size(): number {
    return this.#size;
  }

  /** A value below 0 is a debt. */
  get tokens(): number {
    return this.#tokens;
  }

  get filledAt(): number {
    return this.#filledAt;
  }

  get isFull(): boolean {
    return this.#tokens >= this.#size;
  }

  /** Adds the tokens that have accrued since the last call. */
  fill(now: number): void {
    const seconds = (now - this.#filledAt) / 1000;
    this.#filledAt = now;
    if (seconds > 0) this.#tokens = Math.min(this.#size, this.#tokens + seconds * this.#perSecond);
  }

  /** Takes tokens. If there are too few, the rest becomes a debt of at most `mostDebt`. */
  take(count: number, mostDebt = Infinity): void {
    this.#tokens = Math.max(-mostDebt, this.#tokens - count);
  }

  giveBack(count: number): void {
    this.#tokens = Math.min(this.#size, this.#tokens + count);
  }

  /** Seconds until the bucket has this many tokens. 0 if it has them now. */
  secondsUntil(tokens: number): number {
    const missing = tokens - this.#tokens;
    return missing > 0 ? missing / this.#perSecond : 0;
  }

  /** Changes size and rate. Tokens that were taken stay taken; a debt is canceled. */
  resize(size: number, perSecond: number): void {
    this.#tokens = Math.max(0, this.#tokens + size - this.#size);
    this.#size = size;
    this.#perSecond = perSecond;
  }
}

const keysKept = 30_000;

/** The recent times of an act by key, in memory: the most recently used keys, each with its latest times. */
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

  /** The times within the window, the earliest first. Only the latest times are kept. */
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

/** A map with a maximum number of entries: a new entry replaces the entry that was set longest ago. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #most: number;
  readonly #onDropped: (value: V) => void;

  constructor(most: number, onDropped: (value: V) => void = () => undefined) {
    super();
    this.#most = most;
    this.#onDropped = onDropped;
  }

  /** Makes the entry the newest, even if the map already had it. */
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

/** The longest time that a slice of work blocks the event loop, and with it ingestion, in milliseconds. */
const sliceMs = 2;

/** Divides work on the event loop into slices, so that other work runs between them. */
export class LoopSlices {
  #began = performance.now();

  /** Resolves immediately within a slice, and otherwise after all waiting work. */
  async next(): Promise<void> {
    if (performance.now() - this.#began < sliceMs) return;
    await setImmediate();
    this.#began = performance.now();
  }
}

/** Does a piece of work once, some time after the first request for it, so that one run serves several requests. */
export class Delayed {
  readonly #delayMs: number;
  readonly #work: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(delayMs: number, work: () => void) {
    this.#delayMs = delayMs;
    this.#work = work;
  }

  /** Schedules the work. The timer does not keep the process alive. */
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

/**
 * Allows something at most once per interval, the first time immediately. For messages that would otherwise fill the
 * log.
 */
export class OncePer {
  readonly #intervalMs: number;
  readonly #now: () => number;
  #lastAt = Number.NEGATIVE_INFINITY;

  /** `now` must be a monotonic clock. */
  constructor(intervalMs: number, now = () => performance.now()) {
    this.#intervalMs = intervalMs;
    this.#now = now;
  }

  /** Returns whether it is due. If it is, the next time is one interval later. */
  take(): boolean {
    const now = this.#now();
    if (now - this.#lastAt < this.#intervalMs) return false;
    this.#lastAt = now;
    return true;
  }
}

/** The wait after one or more consecutive failures. It doubles with each failure, up to the longest wait. */
export function backoff(failures: number, { firstMs, longestMs }: { firstMs: number; longestMs: number }): number {
  return Math.min(firstMs * 2 ** (failures - 1), longestMs);
}

/** 50 to 100 % of a wait, so that callers that failed together do not retry together. `random` is from 0 to 1. */
export const jittered = (ms: number, random: number = Math.random()): number => ms * (0.5 + random / 2);

/** The longest pause in milliseconds, because shutdown waits for it. */
const longestPauseMs = 100;

/**
 * Runs a piece of work on the only writer, and then leaves the writer to ingestion for twice as long as the work took.
 */
export async function inBackground<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  await pause(Math.min(2 * (performance.now() - startedAt), longestPauseMs));
  return result;
}
