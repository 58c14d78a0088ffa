import type { Bench, Row } from "../bench.ts";
import { allAcknowledged, generate } from "../generate.ts";
import { fullRate, medianOf, nextSeed } from "../rounds.ts";
import { startService } from "../service.ts";
import { ms, whole } from "../text.ts";

const goalMs = 20;

/** How long an event waits for its acknowledgement when half as many come as can be taken, at a constant rate. */
export async function* latency(bench: Bench): AsyncGenerator<Row> {
  for (const bytes of [5_000, 25_000]) {
    bench.progress(`acknowledgement latency, ${bytes / 1000} kB`);
    await using service = await startService();
    const { seconds, connections } = bench;
    const load = { ...service.door, bytes, groups: "200" } as const;
    const rate = (await fullRate(bench, service.door, load)) / 2;
    const results = [];
    for (let round = 0; round < bench.rounds; round += 1) {
      const options = { ...load, rate, seconds, connections, maxConnections: 1_000, seed: nextSeed() };
      const result = allAcknowledged(await generate(options));
      bench.progress(`p50 ${ms(result.p50Ms)}, p99 ${ms(result.p99Ms)}, longest ${ms(result.maxMs)}`);
      results.push(result);
    }
    const p99Ms = medianOf(results, (result) => result.p99Ms);
    const longestMs = Math.max(...results.map(({ maxMs }) => maxMs));
    yield {
      measure: `acknowledgement at half rate, ${bytes / 1000} kB`,
      goal: `p99 <= ${goalMs} ms`,
      measured: `p50 ${ms(medianOf(results, (result) => result.p50Ms))}, p99 ${ms(p99Ms)}, longest ${ms(longestMs)} at ${whole(rate)}/s`,
      isMet: p99Ms <= goalMs,
    };
  }
}
