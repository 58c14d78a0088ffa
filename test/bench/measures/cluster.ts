import { setTimeout as delay } from "node:timers/promises";
import { startCluster, type Cluster, type Part } from "../../support/nats/cluster/cluster.ts";
import { withPostgresql } from "../../support/database/postgresql.ts";
import { createProject } from "../../support/core/project.ts";
import { until } from "../../support/run/until.ts";
import type { Bench, Row } from "../bench.ts";
import { allAcknowledged, generate, rateOf } from "../generate.ts";
import type { GeneratorResult } from "../generator.ts";
import { cpuSeconds } from "../process-cpu.ts";
import { medianOf, nextSeed } from "../rounds.ts";
import { doorOf, startService, type Service } from "../service.ts";
import { ms, whole } from "../text.ts";

const bytes = 5_000;
const workerCounts = [1, 2, 4];

/** PostgreSQL is down so long. */
const downSeconds = 60;

/**
 * Three NATS servers, PostgreSQL that syncs, one bridge and 1, 2 and 4 workers, compared with one process with SQLite
 * in the same run: events accepted, events stored, bytes on disk, and the effect of PostgreSQL's absence. All parts
 * share the machine with the load generator.
 */
export async function* cluster(bench: Bench): AsyncGenerator<Row> {
  const parts = await startCluster({ bridges: 1, workers: Math.max(...workerCounts), isDirect: true });
  try {
    await using machine = await startService();
    const [bridge] = parts.bridges as readonly [Part, ...Part[]];
    const project = await createProject(bridge.server);
    const measured = { bench, parts, machine, door: doorOf(bridge.server, project) };
    await useWorkers(parts, 0);
    yield await accepting(measured);
    for (const count of workerCounts) yield await storing(measured, count);
    yield await onDisk(measured);
    yield await withoutPostgresql(measured);
  } finally {
    await parts.stop();
  }
}

interface Measured {
  readonly bench: Bench;
  readonly parts: Cluster;
  /** The one process with SQLite. */
  readonly machine: Service;
  readonly door: Service["door"];
}

/** The rate at which the bridge accepts while nobody stores. */
async function accepting(measured: Measured): Promise<Row> {
  const { ours, machine } = await inTurn(measured, "accepted", (result) => Promise.resolve(rateOf(result)));
  return {
    measure: `events/s, ${bytes / 1000} kB, accepted by a bridge into three NATS servers, no workers`,
    goal: "",
    measured: `${whole(medianOf(ours, ({ rate }) => rate))}/s (p50 ${ms(medianOf(ours, ({ p50Ms }) => p50Ms))})`,
    floor: `${whole(machine)}/s (one process, SQLite)`,
    ratio: medianOf(ours, ({ rate }) => rate) / machine,
  };
}

/** The rate of acceptance and storing, from the first request until the queue is empty. */
async function storing(measured: Measured, count: number): Promise<Row> {
  const { parts } = measured;
  await useWorkers(parts, count);
  await isEmpty(parts);
  const used = processorTime(parts);
  let events = 0;
  const { ours, machine } = await inTurn(measured, `${count} workers`, async ({ acknowledged, seconds }) => {
    const answeredAt = performance.now();
    await isEmpty(parts);
    events += acknowledged;
    return acknowledged / (seconds + (performance.now() - answeredAt) / 1000);
  });
  const rate = medianOf(ours, (one) => one.rate);
  return {
    measure: `events/s, ${bytes / 1000} kB, accepted and stored, ${count} ${count === 1 ? "worker" : "workers"}`,
    goal: "",
    measured: `${whole(rate)}/s (accepted ${whole(medianOf(ours, (one) => one.acceptedRate))}/s); processor time of an event: ${used(events)}`,
    floor: `${whole(machine)}/s (one process, SQLite)`,
    ratio: rate / machine,
  };
}

/** The processor time of each part from now on, per event. */
function processorTime({ bridges, workers, nats, postgresql }: Cluster): (events: number) => string {
  const pidsOf = (some: readonly Part[]) => some.filter(({ isUp }) => isUp).map(({ server }) => server.pid);
  const pids = {
    bridge: pidsOf(bridges),
    workers: pidsOf(workers),
    PostgreSQL: [postgresql.pid()],
    NATS: nats.nodes.map((node) => node.pid()),
  };
  const before = Object.entries(pids).map(([name, some]) => ({ name, some, seconds: cpuSeconds(some) }));
  return (events) =>
    before
      .map(({ name, some, seconds }) => `${name} ${whole(((cpuSeconds(some) - seconds) / events) * 1e6)} µs`)
      .join(", ");
}

interface Round {
  readonly rate: number;
  readonly acceptedRate: number;
  readonly p50Ms: number;
}

/**
 * Loads the machine and the cluster in turn, after a warm-up that is not counted; `rateIn` returns the cluster's rate.
 */
async function inTurn(
  { bench, machine, door }: Measured,
  name: string,
  rateIn: (result: GeneratorResult) => Promise<number>,
): Promise<{ readonly ours: Round[]; readonly machine: number }> {
  const ours: Round[] = [];
  const machines: number[] = [];
  for (let round = 0; round <= bench.rounds; round++) {
    const load = {
      bytes,
      groups: "200",
      connections: bench.connections,
      seconds: round === 0 ? 2 : bench.seconds,
    } as const;
    const beside = rateOf(allAcknowledged(await generate({ ...machine.door, ...load, seed: nextSeed() })));
    const result = allAcknowledged(await generate({ ...door, ...load, seed: nextSeed() }));
    const rate = await rateIn(result);
    bench.progress(`${name}: ${whole(rate)}/s, beside ${whole(beside)}/s${round === 0 ? " (warm-up)" : ""}`);
    if (round === 0) continue;
    machines.push(beside);
    ours.push({ rate, acceptedRate: rateOf(result), p50Ms: result.p50Ms });
  }
  return { ours, machine: medianOf(machines, (rate) => rate) };
}

/** The size of rows, indexes and payloads; PostgreSQL's own log is not counted. */
async function onDisk({ bench, parts, door }: Measured): Promise<Row> {
  const [events, size] = [20_000, 25_000];
  bench.progress(`bytes on disk, ${events} events of ${size / 1000} kB`);
  const before = await databaseBytes(parts);
  const load = { bytes: size, groups: "200", connections: bench.connections, seed: nextSeed() } as const;
  const result = await generate({ ...door, ...load, seconds: 600, count: events, bodies: events });
  await isEmpty(parts);
  const after = await databaseBytes(parts);
  const { bodyBytes } = allAcknowledged(result);
  return {
    measure: `bytes on disk for an event of ${size / 1000} kB on PostgreSQL`,
    goal: "",
    measured: `${whole((after - before) / events)}; as sent in gzip: ${whole(bodyBytes)}`,
  };
}

const databaseBytes = ({ databaseUrl }: Cluster) =>
  withPostgresql(databaseUrl, async (client) => {
    await client.query("vacuum");
    await client.query("checkpoint");
    const { rows } = await client.query<{ bytes: string }>("select pg_database_size(current_database()) as bytes");
    return Number(rows[0]?.bytes);
  });

/** Sends a quarter of the rate while PostgreSQL is down and until everything is stored. */
async function withoutPostgresql({ bench, parts, door }: Measured): Promise<Row> {
  const load = { ...door, bytes, groups: "200", connections: bench.connections } as const;
  const full = rateOf(allAcknowledged(await generate({ ...load, seconds: bench.seconds, seed: nextSeed() })));
  await isEmpty(parts);
  const rate = Math.round(full / 4);
  const seconds = 3 * downSeconds;
  bench.progress(`PostgreSQL down for ${downSeconds} s at ${whole(rate)}/s`);
  const sent = generate({ ...load, maxConnections: 1_000, rate, seconds, seed: nextSeed() });
  await delay(5_000);
  await parts.postgresql.stop("immediate");
  await delay(downSeconds * 1000);
  await parts.postgresql.start();
  const startedAt = performance.now();
  const lagAfter = (await parts.lagMs()) ?? Number.NaN;
  await until("the lag to be below a second", async () => ((await parts.lagMs()) ?? Infinity) < 1_000, {
    deadlineMs: 600_000,
    everyMs: 100,
  });
  const caughtUp = (performance.now() - startedAt) / 1000;
  const { acknowledged, refused, unanswered, unsent } = await sent;
  const rest = JSON.stringify({ refused, unanswered, unsent });
  return {
    measure: `lag after PostgreSQL was down for ${downSeconds} s, ${Math.max(...workerCounts)} workers`,
    goal: "",
    measured: `${ms(lagAfter)} at its return, below a second ${whole(caughtUp)} s later at ${whole(rate)}/s; ${whole(acknowledged)} acknowledged, ${rest}`,
  };
}

/** Brings the number of workers that run to `count`. */
async function useWorkers({ workers }: Cluster, count: number): Promise<void> {
  for (const [n, worker] of workers.entries()) {
    if (n < count && !worker.isUp) await worker.start();
    else if (n >= count && worker.isUp) await worker.kill9();
  }
}

const isEmpty = (parts: Cluster) =>
  until("the queue to be empty", async () => (await parts.lagMs()) === 0, { deadlineMs: 600_000 });
