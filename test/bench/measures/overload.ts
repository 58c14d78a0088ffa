import type { Bench, Row } from "../bench.ts";
import { generate } from "../generate.ts";
import type { GeneratorResult } from "../generator.ts";
import { residentMiB } from "../process-memory.ts";
import { fullRate, nextSeed } from "../rounds.ts";
import { startService } from "../service.ts";
import { ms, whole } from "../text.ts";

const bytes = 5_000;
const times = 3;
const goal = 0.9;

/** Senders that do not wait for each other open a connection each, as far as file descriptors allow it. */
const maxConnections = 4_000;

/**
 * Three times as many events as the service can take, from senders that do not slow down. Memory is flat when the
 * second half of the rounds needs no more than a tenth beyond the first.
 */
export async function* overload(bench: Bench): AsyncGenerator<Row> {
  bench.progress(`overload at ${times}x`);
  await using service = await startService();
  const { seconds, connections } = bench;
  const { pid } = service.server;
  const load = { ...service.door, bytes, groups: "200" } as const;
  const maximum = await fullRate(bench, service.door, load);
  const results: GeneratorResult[] = [];
  const peaks: number[] = [];
  for (let round = 0; round < Math.max(2, bench.rounds); round += 1) {
    const options = { ...load, rate: maximum * times, seconds, connections, maxConnections, seed: nextSeed() };
    const result = await generate(options);
    results.push(result);
    peaks.push(residentMiB(pid, "at most"));
    bench.progress(`${JSON.stringify(result)}; ${peaks.at(-1)} MiB at most`);
  }
  const sum = (pick: (result: GeneratorResult) => number) => results.reduce((all, one) => all + pick(one), 0);
  const took = sum((result) => result.seconds);
  const rate = sum(({ acknowledged }) => acknowledged) / took;
  const refused = new Map<string, number>();
  for (const result of results)
    for (const [status, count] of Object.entries(result.refused))
      refused.set(status, (refused.get(status) ?? 0) + count);
  const isProper = [...refused.keys()].every((status) => status === "429" || status === "503");
  const unanswered = sum((result) => result.unanswered);
  const ratio = rate / maximum;
  const others = [...refused].map(([status, count]) => `${status}: ${whole(count)}`).join(", ") || "none";
  const [first = 0] = peaks;
  const last = peaks.at(-1) ?? 0;
  yield {
    measure: `overload at ${times}x, 5 kB: events/s accepted`,
    goal: `>= ${goal} of the maximum, the rest 429 or 503 with Retry-After`,
    measured: `${whole(rate)}/s of ${whole(sum(({ sent }) => sent) / took)}/s that arrived; refused: ${others}; unanswered: ${unanswered}; p99 ${ms(results.at(-1)?.p99Ms ?? 0)}; the load generator took ${(sum(({ cpuSeconds }) => cpuSeconds) / took).toFixed(2)} of the cores`,
    floor: `${whole(maximum)}/s (our maximum)`,
    ratio,
    isMet: ratio >= goal && isProper && unanswered === 0,
  };
  yield {
    measure: "resident memory at overload, at most",
    goal: "flat",
    measured: `${peaks.join(", ")} MiB after each round`,
    isMet: last <= first * 1.1,
  };
}
