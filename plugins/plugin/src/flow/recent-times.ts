import type { Clock } from "../host/host.ts";
import { BoundedMap } from "./bounded-map.ts";

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
