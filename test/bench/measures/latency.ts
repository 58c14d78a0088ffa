import type { Bench, Row } from "../bench.ts";
import { allAcknowledged, generate } from "../generate.ts";
import type { GeneratorResult } from "../generator.ts";
import { fullRate, medianOf, nextSeed } from "../rounds.ts";
import { startService } from "../service.ts";
import { ms, whole } from "../text.ts";

/**
 * The goal in multiples of the floor's p99 in the same run, because a shared machine causes the slowest answers of
 * both.
 */
const goalTimes = 10;

/**
 * How long an event waits for its acknowledgement when half as many come as can be taken, at a constant rate. The floor
 * takes turns at the same rate: what the machine itself adds falls on both.
 */
export async function* latency(bench: Bench): AsyncGenerator<Row> {
  for (const bytes of [5_000, 25_000]) {
    bench.progress(`acknowledgement latency, ${bytes / 1000} kB`);
    await using service = await startService();
    const { seconds, connections } = bench;
    const load = { ...service.door, bytes, groups: "200" } as const;
    const rate = (await fullRate(bench, service.door, load)) / 2;
    const ours: GeneratorResult[] = [];
    const floors: GeneratorResult[] = [];
    for (let round = 0; round < bench.rounds; round += 1)
      for (const [url, results] of [[bench.floorUrl, floors] as const, [load.url, ours] as const]) {
        const options = { ...load, url, rate, seconds, connections, maxConnections: 1_000, seed: nextSeed() };
        const result = allAcknowledged(await generate(options));
        bench.progress(`${results === ours ? "ours" : "floor"}: ${text(result)}`);
        results.push(result);
      }
    const [measured, floor] = [overall(ours), overall(floors)];
    const ratio = measured.p99Ms / floor.p99Ms;
    yield {
      measure: `acknowledgement at half rate, ${bytes / 1000} kB`,
      goal: `p99 <= ${goalTimes}x the floor's`,
      measured: `${text(measured)} at ${whole(rate)}/s`,
      floor: text(floor),
      ratio,
      isMet: ratio <= goalTimes,
    };
  }
}

type Latencies = Pick<GeneratorResult, "p50Ms" | "p99Ms" | "maxMs">;

const overall = (results: readonly GeneratorResult[]): Latencies => ({
  p50Ms: medianOf(results, ({ p50Ms }) => p50Ms),
  p99Ms: medianOf(results, ({ p99Ms }) => p99Ms),
  maxMs: Math.max(...results.map(({ maxMs }) => maxMs)),
});
const text = ({ p50Ms, p99Ms, maxMs }: Latencies) => `p50 ${ms(p50Ms)}, p99 ${ms(p99Ms)}, longest ${ms(maxMs)}`;
