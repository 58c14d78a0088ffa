import { cpus } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Bench } from "./bench.ts";
import { allAcknowledged, generate, rateOf } from "./generate.ts";
import type { GeneratorOptions, GeneratorResult } from "./generator.ts";
import type { Service } from "./service.ts";

type Load = Pick<GeneratorOptions, "bytes" | "groups">;

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
  doors: Readonly<Record<Name, Service["door"]>>,
  load: Load,
): Promise<Record<Name, InTurn>> {
  const turns = Object.entries<Service["door"]>(doors).map(([name, door]) => ({
    name,
    door,
    results: [] as GeneratorResult[],
  }));
  for (let round = 0; round <= rounds; round += 1)
    for (const { name, door, results } of turns) {
      await quiet();
      const roundSeconds = round === 0 ? warmUpSeconds : seconds;
      const options = { ...door, ...load, seconds: roundSeconds, connections, seed: nextSeed() };
      const result = allAcknowledged(await generate(options));
      results.push(result);
      progress(`${name}: ${Math.round(rateOf(result))}/s${round === 0 ? " (warm-up)" : ""}`);
    }
  return Object.fromEntries(turns.map(({ name, results }) => [name, summary(results)])) as Record<Name, InTurn>;
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
  /** With those of the warm-up. */
  readonly acknowledged: number;
}

function summary(results: readonly GeneratorResult[]): InTurn {
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

export function medianOf<T>(items: readonly T[], pick: (item: T) => number): number {
  const sorted = items.map(pick).toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}
