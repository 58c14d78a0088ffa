import { appendFileSync } from "node:fs";
import { test } from "uvu";
import { slowness } from "../run/slowness.ts";
import { until } from "../run/until.ts";
import { residentBytes } from "../service/resident-bytes.ts";

/**
 * The file to which this process reports its measurements; undefined if tests should fail only because of faults of the
 * product.
 */
const reports = process.env["TEST_MEASURES"];

const mebibyte = 1024 * 1024;

/** The report of a bound that `npm run test:measure` reads. */
export interface Report {
  readonly bound: string;
  readonly value: number;
  readonly unit: "ms" | "MiB";
  readonly limit: Limit;
  /**
   * How many times longer than planned a fixed computation took at that moment, at least 1. Times may be longer by the
   * same factor.
   */
  readonly floor: number;
}

export type Limit = { readonly atMost: number } | { readonly atLeast: number };

/** A test that measures. It runs with the other tests, and the measuring run runs it alone. */
export const measuringTest: typeof test | typeof test.only = reports === undefined ? test : test.only;

/**
 * A time or an amount of memory. No test can see its value, because the value differs on a busy machine. `bound`
 * reports it to the measuring run.
 */
export class Measured {
  readonly #value: number;
  readonly #unit: Report["unit"];

  constructor(value: number, unit: Report["unit"]) {
    this.#value = value;
    this.#unit = unit;
  }

  /** The difference to another measurement in the same unit. */
  minus(other: Measured): Measured {
    return new Measured(this.#value - other.#value, this.#unit);
  }

  /** The largest of at least one measurement. */
  static most(all: readonly Measured[]): Measured {
    return all.reduce((one, other) => (other.#value > one.#value ? other : one));
  }

  /** The smallest of at least one measurement. */
  static least(all: readonly Measured[]): Measured {
    return all.reduce((one, other) => (other.#value < one.#value ? other : one));
  }

  report(name: string, limit: Limit): void {
    if (reports === undefined) return;
    const floor = this.#unit === "ms" ? Math.max(1, slowness()) : 1;
    const report: Report = { bound: name, value: this.#value, unit: this.#unit, limit, floor };
    appendFileSync(reports, `${JSON.stringify(report)}\n`);
  }
}

/** Sets a bound. It fails no test. `npm run test:measure` says whether it holds in the best of some runs. */
export function bound(name: string, measured: Measured, limit: Limit): void {
  measured.report(name, limit);
}

/** Starts to measure a time. The returned function returns the time since then. */
export function stopwatch(): () => Measured {
  const startedAt = performance.now();
  return () => new Measured(performance.now() - startedAt, "ms");
}

/** The memory of a process from now on. Without /proc it never grows. */
export interface Memory {
  /** Records the current memory. */
  look(): void;
  /** The largest of all recorded values and the current value. */
  peak(): Measured;
  /** How much `peak` exceeds the memory at the beginning. */
  grown(): Measured;
}

export function memoryOf(pid: number): Memory {
  const now = () => (residentBytes(pid) ?? 0) / mebibyte;
  const before = now();
  let most = before;
  const look = () => {
    most = Math.max(most, now());
    return most;
  };
  return {
    look,
    peak: () => new Measured(look(), "MiB"),
    grown: () => new Measured(look() - before, "MiB"),
  };
}

/**
 * Waits until the memory of a process has not changed for a second, because scheduled work takes memory when it first
 * runs.
 */
export async function memoryAtRest(pid: number): Promise<void> {
  if (reports === undefined) return;
  let last = 0;
  const isAtRest = () => {
    const now = residentBytes(pid) ?? 0;
    const isSame = Math.abs(now - last) < mebibyte / 2;
    last = now;
    return isSame;
  };
  await until("its memory to be at rest", isAtRest, { everyMs: 1_000, deadlineMs: 30_000 });
}
