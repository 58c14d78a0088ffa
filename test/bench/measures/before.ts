import { setTimeout as delay } from "node:timers/promises";
import { resolve } from "node:path";
import { repositoryRoot } from "../../support/service/server.ts";
import type { Bench, Row } from "../bench.ts";
import { allAcknowledged, generate, rateOf } from "../generate.ts";
import { loopTime, type LoopTime } from "../loop-time.ts";
import { cpuSeconds } from "../process-cpu.ts";
import { forgetPeak, residentMiB } from "../process-memory.ts";
import { medianOf, nextSeed } from "../rounds.ts";
import { startService } from "../service.ts";
import { whole } from "../text.ts";

const sizes = [5_000, 25_000, 64_000];
const goal = 0.97;
const loopGoal = 1.03;
const warmUpSeconds = 3;

/**
 * Loads this version and the previous one in turn. Each round gives a ratio, so that other programs affect both
 * versions. They hardly affect the processor time of an event.
 */
export async function* before(bench: Bench): AsyncGenerator<Row> {
  if (bench.before === undefined) {
    bench.progress("nothing to compare with: --before names a checkout of the version before");
    return;
  }
  const root = resolve(bench.before);
  for (const bytes of sizes) yield await ratesOf(bench, root, bytes);
  for (const bytes of sizes) yield await loopTimesOf(bench, root, bytes);
}

/** Events a second, for which all threads of a program compete. */
async function ratesOf(bench: Bench, rootBefore: string, bytes: number): Promise<Row> {
  const roots = { earlier: rootBefore, ours: repositoryRoot };
  const rounds: Record<"earlier" | "ours", Round>[] = [];
  for (let round = 0; round < bench.rounds; round++) {
    const both = { earlier: noRound, ours: noRound };
    for (const name of orderOf(round)) both[name] = await roundOf(bench, roots[name], bytes);
    bench.progress(`${bytes / 1000} kB, round ${round + 1}: ${text(both.ours)}; before: ${text(both.earlier)}`);
    rounds.push(both);
  }
  const rates = spread(rounds.map((round) => round.ours.rate / round.earlier.rate));
  const costs = spread(rounds.map((round) => round.ours.cpuMicroseconds / round.earlier.cpuMicroseconds));
  const of = (name: "earlier" | "ours"): Round => ({
    rate: medianOf(rounds, (round) => round[name].rate),
    cpuMicroseconds: medianOf(rounds, (round) => round[name].cpuMicroseconds),
    peakMiB: medianOf(rounds, (round) => round[name].peakMiB),
  });
  return {
    measure: `events/s, ${bytes / 1000} kB, beside the version before, ${bench.rounds} rounds`,
    goal: `>= ${goal}`,
    measured: `${text(of("ours"))}; ratios of the rounds ${rates.text}; of the processor time of an event ${costs.text}`,
    floor: `${text(of("earlier"))} (the version before)`,
    ratio: rates.median,
    isMet: rates.median >= goal,
  };
}

/** The time that an event takes in the one thread that all events pass. */
async function loopTimesOf(bench: Bench, rootBefore: string, bytes: number): Promise<Row> {
  const load = { bytes, connections: bench.connections, seconds: bench.seconds };
  const rounds: Record<"earlier" | "ours", LoopTime>[] = [];
  const roots = { earlier: rootBefore, ours: repositoryRoot };
  for (let round = 0; round < bench.rounds; round++) {
    const both = { earlier: noLoopTime, ours: noLoopTime };
    for (const name of orderOf(round)) both[name] = await loopTime(roots[name], load);
    bench.progress(
      `${bytes / 1000} kB, profile ${round + 1}: ${loopText(both.ours)}; before: ${loopText(both.earlier)}`,
    );
    rounds.push(both);
  }
  const medianLoop = (name: "earlier" | "ours"): LoopTime => ({
    busy: medianOf(rounds, (round) => round[name].busy),
    inParses: medianOf(rounds, (round) => round[name].inParses),
  });
  const [ours, earlier] = [medianLoop("ours"), medianLoop("earlier")];
  const ratio = ours.inParses / earlier.inParses;
  return {
    measure: `event loop an event, ${bytes / 1000} kB, in what parsing its JSON takes, ${bench.rounds} profiles of each`,
    goal: `<= ${loopGoal}`,
    measured: loopText(ours),
    floor: `${loopText(earlier)} (the version before)`,
    ratio,
    isMet: ratio <= loopGoal,
  };
}

const noLoopTime: LoopTime = { busy: Number.NaN, inParses: Number.NaN };

const loopText = ({ busy, inParses }: LoopTime) => `${inParses.toFixed(2)} (${whole(busy)} µs in the profile)`;

/** The order alternates too, because the load of the machine changes over seconds. */
function orderOf(round: number): readonly ("earlier" | "ours")[] {
  return round % 2 === 0 ? ["earlier", "ours"] : ["ours", "earlier"];
}

interface Round {
  /** Events a second. */
  readonly rate: number;
  /** The processor time of the service for an event. */
  readonly cpuMicroseconds: number;
  /** Resident memory of the service during the load, at most, in MiB. */
  readonly peakMiB: number;
}

const noRound: Round = { rate: Number.NaN, cpuMicroseconds: Number.NaN, peakMiB: Number.NaN };

/** Starts a version and loads it. One at a time: a second one at rest took up to a quarter of the rate of the first. */
async function roundOf({ connections, seconds }: Bench, root: string, bytes: number): Promise<Round> {
  await using service = await startService(undefined, {}, root);
  const { door, server } = service;
  const options = { ...door, bytes, groups: "200", connections } as const;
  allAcknowledged(await generate({ ...options, seconds: warmUpSeconds, seed: nextSeed() }));
  await rest(server.pid);
  forgetPeak(server.pid);
  const usedBefore = cpuSeconds([server.pid]);
  const result = allAcknowledged(await generate({ ...options, seconds, seed: nextSeed() }));
  const used = cpuSeconds([server.pid]) - usedBefore;
  const peakMiB = residentMiB(server.pid, "at most");
  return { rate: rateOf(result), cpuMicroseconds: (used / result.acknowledged) * 1e6, peakMiB };
}

/** Waits until the service has next to nothing to do: after a load it packs what it got. */
async function rest(pid: number): Promise<void> {
  for (let tries = 0; tries < 40; tries++) {
    const usedBefore = cpuSeconds([pid]);
    await delay(500);
    if (cpuSeconds([pid]) - usedBefore < 0.05) return;
  }
}

/** The median, and the middle half. */
function spread(ratios: readonly number[]): { median: number; text: string } {
  const sorted = ratios.toSorted((a, b) => a - b);
  const at = (part: number) => (sorted[Math.round(part * (sorted.length - 1))] ?? Number.NaN).toFixed(2);
  const median = medianOf(ratios, (ratio) => ratio);
  return { median, text: `${median.toFixed(3)} (middle half ${at(0.25)} to ${at(0.75)})` };
}

const text = ({ rate, cpuMicroseconds, peakMiB }: Round) =>
  `${whole(rate)}/s, ${whole(cpuMicroseconds)} µs, ${whole(peakMiB)} MiB`;
