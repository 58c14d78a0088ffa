import { appendFileSync } from "node:fs";
import { test } from "uvu";
import { slowness } from "../run/slowness.ts";
import { until } from "../run/until.ts";
import { residentBytes } from "../service/resident-bytes.ts";

/** Where this process reports what it measures; absent where tests are to fail only for what the product does wrong. */
const reports = process.env["TEST_MEASURES"];

const mebibyte = 1024 * 1024;

/** What `npm run test:measure` reads of a bound. */
export interface Report {
  readonly bound: string;
  readonly value: number;
  readonly unit: "ms" | "MiB";
  readonly limit: Limit;
  /** How many times longer a fixed computation took at that moment than planned, at least 1: times may be as much longer. */
  readonly floor: number;
}

export type Limit = { readonly atMost: number } | { readonly atLeast: number };

/**
 * A test that measures: beside tests of other claims it runs as they do, and the run that measures runs it without them.
 */
export const measuringTest: typeof test | typeof test.only = reports === undefined ? test : test.only;

/**
 * A time or an amount of memory. No test can look at its value, which is another one on a busy machine: `bound` reports it
 * to the run that measures.
 */
export class Measured {
  readonly #value: number;
  readonly #unit: Report["unit"];

  constructor(value: number, unit: Report["unit"]) {
    this.#value = value;
    this.#unit = unit;
  }

  /** The difference to another one of the same unit. */
  minus(other: Measured): Measured {
    return new Measured(this.#value - other.#value, this.#unit);
  }

  /** The largest of some, of which there is at least one. */
  static most(all: readonly Measured[]): Measured {
    return all.reduce((one, other) => (other.#value > one.#value ? other : one));
  }

  /** The smallest of some, of which there is at least one. */
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

/** Sets a bound. It fails no test: `npm run test:measure` tells whether it holds, at best of some runs. */
export function bound(name: string, measured: Measured, limit: Limit): void {
  measured.report(name, limit);
}

/** Starts to measure a time; the returned function says how long ago that was. */
export function stopwatch(): () => Measured {
  const startedAt = performance.now();
  return () => new Measured(performance.now() - startedAt, "ms");
}

/** The memory of a process from now on; without /proc it never grows. */
export interface Memory {
  /** Notes what it holds now. */
  look(): void;
  /** The most that was noted, and what it holds now. */
  peak(): Measured;
  /** That beyond what it held at the beginning. */
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

/** Waits until the memory of a process has stayed the same for a second: scheduled work that runs for the first time takes some. */
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
