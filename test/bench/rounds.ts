import { cpus } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Bench } from "./bench.ts";
import { allAcknowledged, generate, rateOf } from "./generate.ts";
import type { GeneratorOptions, GeneratorResult } from "./generator.ts";
import { forgetPeak, residentMiB } from "./process-memory.ts";
import type { Service } from "./service.ts";

type Load = Pick<GeneratorOptions, "bytes" | "groups">;

/** The entry point of a loaded server. With `pid`, its memory is measured. */
type Loaded = Service["door"] & { readonly pid?: number };

const warmUpSeconds = 2;

let seed = 0;

/** A new number each time, so that no two rounds send the same bodies. */
export function nextSeed(): number {
  seed += 1;
  return seed;
}

/**
 * Loads several servers in turn, so that what the machine does meanwhile falls on all of them: a warm-up that is not
 * counted, then as many rounds as the bench has. A closed loop, all connections busy.
 */
export async function inTurn<Name extends string>(
  { rounds, seconds, connections, progress }: Bench,
  doors: Readonly<Record<Name, Loaded>>,
  load: Load,
): Promise<Record<Name, InTurn>> {
  const turns = Object.entries<Loaded>(doors).map(([name, { pid, ...door }]) => ({
    name,
    door,
    pid,
    results: [] as GeneratorResult[],
    peaksMiB: [] as number[],
  }));
  for (let round = 0; round <= rounds; round += 1)
    for (const { name, door, pid, results, peaksMiB } of turns) {
      await quiet();
      if (pid !== undefined) forgetPeak(pid);
      const roundSeconds = round === 0 ? warmUpSeconds : seconds;
      const options = { ...door, ...load, seconds: roundSeconds, connections, seed: nextSeed() };
      const result = allAcknowledged(await generate(options));
      results.push(result);
      if (pid !== undefined) peaksMiB.push(residentMiB(pid, "at most"));
      progress(`${name}: ${Math.round(rateOf(result))}/s${round === 0 ? " (warm-up)" : ""}`);
    }
  return Object.fromEntries(
    turns.map(({ name, results, peaksMiB }) => [name, { ...summary(results), peakMiB: median(peaksMiB.slice(1)) }]),
  ) as Record<Name, InTurn>;
}

/** Waits until the machine has next to nothing to do: a service that was loaded before still packs what it got. */
async function quiet(): Promise<void> {
  const idleMs = () => cpus().reduce((sum, { times }) => sum + times.idle, 0);
  for (let tries = 0; tries < 60; tries += 1) {
    const before = idleMs();
    await delay(500);
    if (idleMs() - before > 0.9 * 500 * cpus().length) return;
  }
}

/** Medians of the rounds of one server. */
export interface InTurn {
  /** Events a second. */
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Acknowledged requests, including the warm-up. */
  readonly acknowledged: number;
  /** Resident memory at most within a round, in MiB; NaN without the process. */
  readonly peakMiB: number;
}

function summary(results: readonly GeneratorResult[]): Omit<InTurn, "peakMiB"> {
  const counted = results.slice(1);
  return {
    rate: medianOf(counted, rateOf),
    p50Ms: medianOf(counted, ({ p50Ms }) => p50Ms),
    p99Ms: medianOf(counted, ({ p99Ms }) => p99Ms),
    acknowledged: results.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
  };
}

/** Events a second that a service takes at most; warms it up, too. */
export async function fullRate({ seconds, connections, progress }: Bench, door: Service["door"], load: Load) {
  const round = (roundSeconds: number) =>
    generate({ ...door, ...load, seconds: roundSeconds, connections, seed: nextSeed() });
  allAcknowledged(await round(warmUpSeconds));
  const rate = rateOf(allAcknowledged(await round(seconds)));
  progress(`at most: ${Math.round(rate)}/s`);
  return rate;
}

export const medianOf = <T>(items: readonly T[], pick: (item: T) => number): number => median(items.map(pick));

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}
