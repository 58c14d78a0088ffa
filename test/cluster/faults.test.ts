// limit: 1500 s
// alone: kills and cuts what is under load
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startCluster, type Cluster, type Part } from "../support/nats/cluster/cluster.ts";
import { Senders } from "../support/nats/cluster/senders.ts";
import type { Link } from "../support/nats/cluster/link.ts";
import { grpcClient } from "../support/core/grpc.ts";
import { auditPostgresql } from "../support/database/ledger/audit-postgresql.ts";
import { readBack } from "../support/database/ledger/read-back.ts";
import { natsMissing } from "../support/nats/nats.ts";
import { withPostgresql } from "../support/database/postgresql.ts";
import { createKey, createProject, type Project } from "../support/core/project.ts";
import { reported } from "../support/run/reported.ts";
import { until } from "../support/run/until.ts";

/** Set SEED to repeat what is sent. */
const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);

/** The number of events that must be acknowledged during a fault, if acceptance continues, and after it. */
const enough = 200;

/** The number of listed events that are opened at the end. */
const contentsRead = 2_000;

let cluster: Cluster;
let senders: Senders;
let projects: Project[];

if (natsMissing !== undefined) console.log(`Skipped: ${natsMissing}`);
const onServers = natsMissing === undefined ? test : test.skip;

/** Works under load; afterwards everything must be as if nothing had happened. */
function fault(name: string, work: () => Promise<void>): void {
  const claim = `${name}: nothing acknowledged is lost, nothing is stored twice, all counts equal a recount`;
  onServers(claim, async () => {
    const startedAt = performance.now();
    const found: string[] = [];
    senders.start();
    try {
      await acknowledged(enough);
      await work();
      await acknowledged(enough);
      await lagIsGone();
    } catch (error) {
      found.push(String(error)); // reported with the other faults
    }
    await senders.pause();
    await everythingIsStored().catch((error: unknown) => found.push(String(error)));
    found.push(...(await differences()), ...senders.ledger.odd.splice(0), ...(await unready()));
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    console.log(`  ${name}, ${seconds} s: ${summary()}${found.map((one) => `\n    ${one}`).join("")}`);
    assert.equal(found, []);
  });
}

/** The answers to every sender so far. */
function summary(): string {
  const { sentCount, acknowledgedCount, statuses } = senders.ledger;
  const answers = Array.from(statuses, ([status, n]) => `${n} x ${status}`).join(", ");
  return `${sentCount} events sent, ${acknowledgedCount} acknowledged; answers: ${answers}`;
}

/** Resolves when so many more events were acknowledged. */
async function acknowledged(count: number): Promise<void> {
  const { ledger } = senders;
  ledger.read();
  const before = ledger.acknowledgedCount;
  const isEnough = () => {
    ledger.read();
    return ledger.acknowledgedCount >= before + count;
  };
  await until(`${count} events to be acknowledged`, isEnough, { deadlineMs: 60_000, everyMs: 100 });
}

/** Under load, the oldest that waits is younger than a second, ten times in a row. */
async function lagIsGone(): Promise<void> {
  let times = 0;
  const isGone = async () => {
    const lagMs = (await cluster.lagMs()) ?? Infinity;
    times = lagMs < 1_000 ? times + 1 : 0;
    return times === 10;
  };
  await until("the lag to be below a second", isGone, { deadlineMs: 120_000, everyMs: 100 });
}

/** A result that never comes must not be awaited forever. */
async function within(milliseconds: number, awaited: string, coming: Promise<void>): Promise<void> {
  let hasCome = false;
  void coming.then(() => (hasCome = true));
  await until(awaited, () => hasCome, { deadlineMs: milliseconds });
}

const everythingIsStored = () =>
  until("the queue to be empty", async () => (await cluster.lagMs()) === 0, { deadlineMs: 60_000, everyMs: 50 });

const differences = () => withPostgresql(cluster.databaseUrl, (client) => auditPostgresql(client, senders.ledger));

/** Which processes have ended or take no work, once each had the time to find its way back. */
async function unready(): Promise<string[]> {
  const parts = [cluster.core, ...cluster.bridges, ...cluster.workers];
  const waited = parts.map((part) =>
    until(`${part.name} to be ready`, () => part.isReady(), { deadlineMs: 30_000, everyMs: 200 }).then(
      () => [],
      (error: unknown) => [`${String(error)}; it printed:\n${part.server.output()}`],
    ),
  );
  return (await Promise.all(waited)).flat();
}

async function killAndStart(part: Part): Promise<void> {
  await part.kill9();
  await acknowledged(enough);
  await part.start();
}

/** Several things go wrong with a wire, one after the other; each is mended when what it leads to was seen. */
async function breakLink(link: Link, seen: () => Promise<unknown>): Promise<void> {
  const faults = [
    () => link.cut(),
    () => link.swallow("there", "back"),
    () => link.swallow("there"),
    () => link.swallow("back"),
  ];
  for (const breakIt of faults) {
    breakIt();
    try {
      await seen();
    } finally {
      link.mend();
    }
    await acknowledged(enough);
    await lagIsGone();
  }
}

const nothingIsStored = () =>
  until("the oldest that waits to be three seconds old", async () => ((await cluster.lagMs()) ?? 0) > 3_000, {
    deadlineMs: 30_000,
  });

const noBridgeIsReady = () =>
  until(
    "the bridges to say that they are not ready",
    async () => !(await Promise.all(cluster.bridges.map((bridge) => bridge.isReady()))).includes(true),
    { deadlineMs: 30_000 },
  );

test.before(
  reported(async () => {
    if (natsMissing !== undefined) return;
    console.log(`seed ${seed}`);
    cluster = await startCluster();
    const [bridge] = cluster.bridges as readonly [Part, ...Part[]];
    projects = [];
    for (let n = 0; n < 3; n++) projects.push(await createProject(bridge.server));
    const withKeys = await Promise.all(
      projects.map(async ({ id, key }) => ({ id, keys: [key, (await createKey(bridge.server, id)).key] })),
    );
    senders = new Senders(cluster.bridges, withKeys, seed);
  }),
);

test.after(async () => {
  senders?.end();
  await cluster?.stop();
});

for (const n of [0, 1]) {
  fault(`worker ${n + 1} is killed`, () => killAndStart(cluster.workers[n] as Part));
  fault(`bridge ${n + 1} is killed`, () => killAndStart(cluster.bridges[n] as Part));
}

fault("the NATS server that leads is killed, then each of the others", async () => {
  const first = await cluster.leader();
  for (const node of [first, ...cluster.nats.nodes.filter((one) => one !== first)]) {
    await node.kill9();
    await acknowledged(enough);
    await node.start();
    await cluster.leader();
  }
});

fault("all NATS servers are killed at once, senders are refused, and they are started again", async () => {
  await Promise.all(cluster.nats.nodes.map((node) => node.kill9()));
  await noBridgeIsReady();
  await until("events to be refused", () => (senders.ledger.read(), senders.ledger.statuses.has(503)), {
    deadlineMs: 30_000,
  });
  await Promise.all(cluster.nats.nodes.map((node) => node.start()));
});

fault("PostgreSQL is stopped at once and started again, and events are accepted meanwhile", async () => {
  await cluster.postgresql.stop("immediate");
  await acknowledged(5 * enough);
  await cluster.postgresql.start();
});

fault("the wires between bridges and NATS fail", () => breakLink(cluster.links.bridgesToNats, noBridgeIsReady));

fault("the wires between workers and NATS fail", () => breakLink(cluster.links.workersToNats, nothingIsStored));

fault("the wires between workers and PostgreSQL fail", () =>
  breakLink(cluster.links.workersToPostgresql, nothingIsStored),
);

fault("the wires between bridges and PostgreSQL fail, and events are accepted meanwhile", () =>
  breakLink(cluster.links.bridgesToPostgresql, () => acknowledged(enough)),
);

fault("PostgreSQL's answers to commits are lost", async () => {
  for (const statement of ["integrated_store_batch", "integrated_store_sessions", "commit"]) {
    for (let times = 0; times < 5; times++) {
      await within(30_000, statement, cluster.links.workersToPostgresql.eatAnswerTo(statement));
    }
  }
});

fault("acknowledgements of workers are lost", async () => {
  for (let times = 0; times < 20; times++)
    await within(30_000, "an acknowledgement", cluster.links.workersToNats.eat("+ACK"));
});

fault("the workers are killed between a commit and its acknowledgement", async () => {
  for (let times = 0; times < 3; times++) {
    const link = cluster.links.workersToNats;
    await within(30_000, "an acknowledgement", link.eat("+ACK"));
    link.cut();
    await Promise.all(cluster.workers.map((worker) => worker.kill9()));
    link.mend();
    await Promise.all(cluster.workers.map((worker) => worker.start()));
    await acknowledged(enough);
  }
});

onServers("through the public API all of it is there as it was sent", async () => {
  const { ledger } = senders;
  const ids = [...ledger.entries.keys()];
  const everyNth = Math.ceil(ids.length / contentsRead);
  for (const [n, id] of ids.entries()) if (n % everyNth !== 0) ledger.checkedContents.add(id);
  const client = grpcClient(cluster.core.server);
  const projectIds = projects.map(({ id }) => id);
  assert.equal(await readBack(client, projectIds, ledger), []);
  client.close();
});

test.run();
