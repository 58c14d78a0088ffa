import { setTimeout as delay } from "node:timers/promises";
import { ErrorSort } from "@faultline/proto";
import { grpcClient } from "../../support/core/grpc.ts";
import { until } from "../../support/run/until.ts";
import type { Bench, Row } from "../bench.ts";
import { allAcknowledged, startGenerator } from "../generate.ts";
import { startChild } from "../child.ts";
import type { ReaderResult } from "../reader.ts";
import { fullRate, nextSeed } from "../rounds.ts";
import { startService, type Service } from "../service.ts";
import { ms, whole } from "../text.ts";

const goalMs = 25;
const bytes = 5_000;

/** How long pages of the console wait while events come, at half the rate that is possible, and at all of it. */
export async function* reads(bench: Bench): AsyncGenerator<Row> {
  const { events, connections } = bench;
  const stored = await bench.largeDatabase(events);
  bench.progress(`reads during ingestion, ${whole(events)} events stored`);
  await using service = await startService(stored);
  const countedAfter = await untilCounted(service);
  bench.progress(`all events counted by user and tag in ${whole(countedAfter / 1_000)} s`);
  const seconds = bench.seconds * bench.rounds;
  const load = { ...service.door, bytes, groups: "200", seconds, connections } as const;
  const during = async (rate: number | undefined) => {
    const { grpcAddress } = service.server;
    const generator = startGenerator({ ...load, rate, maxConnections: 1_000, seed: nextSeed() });
    const reader = startChild<ReaderResult>("reader.ts", { grpcAddress, projectId: service.project.id });
    await Promise.all([generator.ready, reader.ready]);
    generator.go();
    reader.go();
    allAcknowledged(await generator.result);
    reader.end();
    const waits = await reader.result;
    bench.progress(JSON.stringify(waits));
    return waits;
  };
  const quietly = async () => {
    const reader = startChild<ReaderResult>("reader.ts", {
      grpcAddress: service.server.grpcAddress,
      projectId: service.project.id,
    });
    await reader.ready;
    reader.go();
    await delay(seconds * 1_000);
    reader.end();
    const waits = await reader.result;
    bench.progress(JSON.stringify(waits));
    return waits;
  };
  const quiet = await quietly();
  for (const [method, { p50Ms, p95Ms }] of Object.entries(quiet)) {
    yield {
      measure: `${method}, nothing else going on, ${whole(events)} events, ${whole(events / 100)} errors`,
      goal: `p95 <= ${goalMs} ms`,
      measured: `p50 ${ms(p50Ms)}, p95 ${ms(p95Ms)}`,
      isMet: p95Ms <= goalMs,
    };
  }
  const rate = await fullRate(bench, service.door, load);
  const half = await during(rate / 2);
  const full = await during(undefined);
  for (const method of Object.keys(half)) {
    const [atHalf, atFull] = [half[method], full[method]];
    if (!atHalf || !atFull) continue;
    yield {
      measure: `${method} during ingestion, ${whole(events)} events, ${whole(events / 100)} errors`,
      goal: `p95 <= ${goalMs} ms`,
      measured: `half rate: p50 ${ms(atHalf.p50Ms)}, p95 ${ms(atHalf.p95Ms)}; full: p50 ${ms(atFull.p50Ms)}, p95 ${ms(atFull.p95Ms)}`,
      isMet: atHalf.p95Ms <= goalMs && atFull.p95Ms <= goalMs,
    };
  }
}

/** Milliseconds until the service has counted the events of the largest errors, which the generated database lacks. */
async function untilCounted({ server, project }: Service): Promise<number> {
  const startedAt = performance.now();
  const client = grpcClient(server);
  const { errors, auth } = client;
  const projectId = project.id;
  const largest = await errors.listErrors({ projectId, sort: ErrorSort.EVENT_COUNT, pageSize: 3 }, auth);
  for (const { errorId } of largest.errors)
    await until(
      `the events of error ${errorId} to be counted`,
      async () => {
        const breakdown = await errors.getErrorBreakdown({ projectId, errorId }, auth);
        return breakdown.examinedEventCount === breakdown.eventCount;
      },
      { deadlineMs: 900_000, everyMs: 200 },
    );
  client.close();
  return performance.now() - startedAt;
}
