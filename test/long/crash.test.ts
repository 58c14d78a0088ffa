// limit: 240 s
// alone: kills under load
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { randomFrom } from "../bench/node-event.ts";
import { grpcClient } from "../support/core/grpc.ts";
import { age, audit, expiredRows, fileFaults } from "../support/database/ledger/audit.ts";
import { Ledger } from "../support/database/ledger/ledger.ts";
import { contentDifferences, readBack } from "../support/database/ledger/read-back.ts";
import { startWorkers, type Workers } from "../support/database/ledger/workers.ts";
import { createKey, createProject, type Project } from "../support/core/project.ts";
import { reported } from "../support/run/reported.ts";
import { rest } from "../support/rest/rest.ts";
import { rounds } from "../support/run/rounds.ts";
import { sendStore } from "../support/sentry/send.ts";
import { launch, startServer, type Server } from "../support/service/server.ts";
import { until } from "../support/run/until.ts";

const cycles = rounds({ short: 3, long: 9, all: 1_000 });

/**
 * So many cycles are an era. After each one everything is verified and the service stopped in order; what was sent two
 * eras before is made 100 days older, so that retention deletes it under the next kills.
 */
const cyclesOfEra = cycles > 100 ? 20 : 3;

/** Set SEED to repeat what is sent and when it is killed. */
const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
const random = randomFrom(seed);

const directory = mkdtempSync(join(tmpdir(), "faultline-crash-")); // kept when something is found
const dataDir = join(directory, "data");
const file = join(dataDir, "faultline.db");
/** The ways to end the service; each of them in the long form. */
const deeds = [
  "kills under load",
  "kills while it stopped",
  "kills while it started",
  "keys deleted",
  "times everything was compared",
  "eras that retention deleted",
] as const;
type Deed = (typeof deeds)[number];
const done = new Map<Deed, number>();
const count = (what: Deed) => done.set(what, (done.get(what) ?? 0) + 1);

let server: Server;
let projects: Project[];
let workers: Workers;
let ledger: Ledger;
const deletedKeys: string[] = [];
/** Keys whose deletion a kill interrupted. They are deleted later, because a project has at most 50. */
const leftKeys: Omit<Project, "id" | "path">[] = [];

const start = () => startServer({ dataDir });

/** Loads the service and ends it in the middle, in one of the ways in which services end. */
async function loadAndKill(era: number): Promise<void> {
  const [project] = projects as [Project, ...Project[]];
  const doomed = random() < 0.3 ? (leftKeys.pop() ?? (await createKey(server, project.id))) : undefined;
  const round = workers.round({ url: server.url, era, doomedKey: doomed?.key });
  if (random() < 0.9) await round.underWay;
  const deletion = doomed && deleteKey(project, doomed, random() * 100);
  await delay(random() * 200);
  if (random() < 0.15) {
    const stopping = server.stop().then(
      () => undefined, // it was faster than the kill
      () => count("kills while it stopped"),
    );
    await Promise.race([delay(random() * random() * 2_000), stopping]);
    await server.kill9();
    await stopping;
  } else {
    await server.kill9();
    count("kills under load");
  }
  await Promise.all([round.over, deletion]);
  ledger.read();
  if (random() < 0.1) {
    const starting = launch({ dataDir });
    await delay(random() * 800);
    starting.process.kill("SIGKILL");
    await starting.ended;
    count("kills while it started");
  }
}

/** Deletes a key while it is used. */
async function deleteKey(project: Project, doomed: Omit<Project, "id" | "path">, afterMs: number): Promise<void> {
  await delay(afterMs);
  const path = `/projects/${project.id}/error_tracking/client_keys/${doomed.keyId}`;
  const answer = await rest(server, `DELETE ${path}`).catch(() => undefined); // it was killed
  if (!answer) leftKeys.push(doomed);
  if (answer?.status !== 200) return;
  deletedKeys.push(doomed.key);
  count("keys deleted");
}

/** The state to check after each start: the newest acknowledged events, all counters, the newest deleted key. */
async function assertNewest(what: string): Promise<void> {
  const newest = ledger.newlyAcknowledged.slice(-30).flatMap((id) => ledger.entries.get(id) ?? []);
  const client = grpcClient(server);
  const found = await contentDifferences(client, newest, ledger);
  client.close();
  await retentionIsDone();
  assert.equal([...found, ...audit(file, ledger), ...ledger.odd], [], what);
  await assertDeleted(deletedKeys.slice(-1), what);
}

async function assertDeleted(keys: readonly string[], what: string): Promise<void> {
  const id = projects[0]?.id ?? 0;
  for (const key of keys) {
    const { status } = await sendStore(server, { id, key }, { message: "by a key that was said to be deleted" });
    assert.is(status, 403, what);
  }
}

/** Everything, by both ways; the service is stopped in order for it and started again. */
async function assertEverything(what: string): Promise<void> {
  await retentionIsDone();
  const client = grpcClient(server);
  const ids = projects.map(({ id }) => id);
  const found = await readBack(client, ids, ledger);
  client.close();
  assert.equal([...found, ...audit(file, ledger)], [], what);
  await assertDeleted(deletedKeys, what);
  assert.is(await server.stop(), 0);
  assert.equal([...audit(file, ledger), ...fileFaults(file)], [], `${what}, stopped`);
  count("times everything was compared");
}

const retentionIsDone = () => until("retention is done", () => expiredRows(file, Date.now() - 92 * 86_400_000) === 0);

function summary(): string {
  const { sentCount, acknowledgedCount, statuses } = ledger;
  const numbers = Array.from(done, ([what, n]) => `${n} ${what}`).join(", ");
  const answers = Array.from(statuses, ([status, n]) => `${n} x ${status}`).join(", ");
  return `${sentCount} events sent, ${acknowledgedCount} acknowledged; ${numbers}; answers: ${answers}`;
}

test.before(
  reported(async () => {
    console.log(`seed ${seed}`);
    server = await start();
    projects = [await createProject(server), await createProject(server), await createProject(server)];
    const withKeys = await Promise.all(
      projects.map(async ({ id, key }) => ({ id, keys: [key, (await createKey(server, id)).key] })),
    );
    workers = startWorkers({ count: 3, connections: 6, seed, directory, projects: withKeys });
    ledger = new Ledger(workers.files);
  }),
);

test(`${cycles} kills: nothing acknowledged is lost, nothing is there twice, all counts equal a recount`, async () => {
  try {
    for (let cycle = 0, agedAt = -1; cycle < cycles; cycle++) {
      const era = Math.floor(cycle / cyclesOfEra);
      await loadAndKill(era);
      server = await start();
      if (cycle !== agedAt) await assertNewest(`seed ${seed}, cycle ${cycle}`);
      if ((cycle + 1) % cyclesOfEra !== 0 || cycle + 1 === cycles) continue;
      await assertEverything(`seed ${seed}, cycle ${cycle}`);
      if (cycles > 100) console.log(`  ${cycle + 1} kills: ${summary()}`);
      if (era > 0) {
        age(file, era - 1);
        ledger.forget(era - 1);
        agedAt = cycle + 1;
        count("eras that retention deleted");
      }
      server = await start();
    }
    await workers.round({ url: server.url, era: Math.floor(cycles / cyclesOfEra), newEvents: 0 }).over;
    ledger.read();
    await assertEverything(`seed ${seed}, at the end`);
  } catch (error) {
    console.log(`  ${summary()}\n  The data and the workers' books are kept: ${directory}`);
    throw error;
  }
  console.log(`  ${summary()}`);
  assert.ok(ledger.acknowledgedCount > 10 * cycles, "the load was too low to prove anything");
  assert.ok(ledger.unacknowledgedCount > 0, "the kills interrupted too little to prove anything");
  for (const what of cycles > 100 ? deeds : []) assert.ok(done.has(what), `no ${what}: nothing was proved of them`);
  rmSync(directory, { recursive: true, force: true });
});

test.after(async () => {
  workers.end();
  await server.kill9();
});

test.run();
