// limit: 120 s
import { cpSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Backend } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { answers, assertHolds } from "../support/database/answers.ts";
import { grpcClient, type GrpcClient } from "../support/core/grpc.ts";
import { createProject, type Project } from "../support/core/project.ts";
import { recount, recountSessions } from "../support/database/recount.ts";
import { rounds } from "../support/run/rounds.ts";
import { envelope, newEventId, sendEnvelope, sendStore } from "../support/sentry/send.ts";
import { fixtureBaseUrl, fixtures, unpackFixture } from "../support/database/schema-fixtures.ts";
import { held, launch, rootPassword, startServer, type Server } from "../support/service/server.ts";
import { storedErrors, storedEventIds } from "../support/database/stored.ts";
import { killAtCall, whyNoStrace } from "../support/service/strace.ts";
import { tempDir } from "../support/service/temp-dir.ts";
import { until } from "../support/run/until.ts";

/** Whether every scenario is tried at every point, or ingestion at some. A try takes two starts. */
const isWhole = rounds({ short: false, long: false, all: true });

/** Every call that makes something durable, or begins to, and the number of calls between kills. */
const steps: Readonly<Record<string, number>> = isWhole
  ? { pwrite64: 1, fsync: 1, fdatasync: 1, rename: 1, ftruncate: 1, unlink: 1 }
  : rounds({ short: { pwrite64: 100, fsync: 15 }, long: { pwrite64: 40, fsync: 3 } });

/** One thread for SQLite, so that its nth call is the same one each time; the address that the fixtures were made with. */
const env = { UV_THREADPOOL_SIZE: "1", FAULTLINE_BASE_URL: fixtureBaseUrl };

/** The work during which the process is killed. */
interface Scenario {
  readonly name: string;
  /** Makes the data directory that each try begins with. */
  prepare(): Promise<string>;
  try(): Try;
}

/** One try of a scenario. Several run concurrently. */
interface Try {
  /** The work with the running service; undefined if starting is the work. Throws if the service dies. */
  act?(server: Server, client: GrpcClient): Promise<unknown>;
  /** Holds after the next start, whatever was done of it. */
  check(server: Server, client: GrpcClient): Promise<void>;
}

async function prepared(work: (server: Server, client: GrpcClient) => Promise<void>): Promise<string> {
  const server = await startServer({ env });
  const client = grpcClient(server);
  await work(server, client);
  client.close();
  await server.stop();
  return server.dataDir;
}

let project: Project;

// Ingestion
/** Sends three events, one of them with a session; notes what was sent and what acknowledged. */
async function sendSome(server: Server, sent: Set<string>, acknowledged: Set<string>): Promise<void> {
  for (let n = 0; n < 3; n++) {
    const id = newEventId();
    sent.add(id);
    const event = { event_id: id, exception: { values: [{ type: `Error${n % 2}`, value: "x" }] }, user: { id: n } };
    const session = { sid: id, init: true, started: new Date().toISOString(), status: "ok", attrs: { release: "a@1" } };
    const { status } =
      n === 1
        ? await sendEnvelope(server, project, envelope(id, [{ type: "event" }, event], [{ type: "session" }, session]))
        : await sendStore(server, project, event);
    if (status === 200) acknowledged.add(id);
  }
}

/** Sends some events, and does what follows on that. */
function sending(afterwards: (server: Server) => Promise<unknown>): Try {
  const sent = new Set<string>();
  const acknowledged = new Set<string>();
  return {
    async act(server) {
      await sendSome(server, sent, acknowledged);
      await afterwards(server);
    },
    async check(_server, client) {
      const stored: string[] = [];
      for (const { errorId } of await storedErrors(client, project.id)) {
        stored.push(...(await storedEventIds(client, project.id, errorId)));
      }
      assert.is(new Set(stored).size, stored.length, "none is stored twice");
      const lost = [...acknowledged].filter((id) => !stored.includes(id));
      assert.equal(lost, [], "none that was acknowledged is lost");
      const strange = stored.filter((id) => !sent.has(id));
      assert.equal(strange, [], "none is stored that was not sent");
    },
  };
}

const withProject = () => prepared(async (server) => void (project = await createProject(server)));

/** Twice what sendSome sends. */
const withEvents = () =>
  prepared(async (server) => {
    project = await createProject(server);
    await sendSome(server, new Set(), new Set());
    await sendSome(server, new Set(), new Set());
  });

const ingestion: Scenario = {
  name: "ingestion",
  prepare: withProject,
  try: () => sending(() => Promise.resolve()),
};

// The log is written into the database, cut and removed.
const stopping: Scenario = {
  name: "stopping",
  prepare: withProject,
  try: () => sending((server) => server.stop()),
};

// Client keys
const keyDeletion: Scenario = {
  name: "deletion of a client key",
  prepare: withProject,
  try() {
    let isDeleted = false;
    return {
      async act(_server, client) {
        await client.clientKeys.deleteClientKey({ projectId: project.id, keyId: project.keyId }, client.auth);
        isDeleted = true;
      },
      async check(server, client) {
        const { clientKeys } = await client.clientKeys.listClientKeys({ projectId: project.id }, client.auth);
        const isThere = clientKeys.some(({ keyId }) => keyId === project.keyId);
        assert.not(isDeleted && isThere, "a key that was said to be deleted is");
        const { status } = await sendStore(server, project, { message: "x" });
        assert.is(status, isThere ? 200 : 403);
      },
    };
  },
};

// Settings
const external = {
  active: true,
  backend: Backend.EXTERNAL,
  externalApiUrl: "https://errors.example",
  externalAuthToken: "external-token",
  externalProject: { id: "7", slug: "shop", name: "Shop", organizationSlug: "acme", organizationName: "Acme" },
};
const settings: Scenario = {
  name: "settings",
  prepare: withProject,
  try() {
    let isSaved = false;
    return {
      async act(_server, client) {
        await client.settings.updateSettings({ projectId: project.id, ...external }, client.auth);
        isSaved = true;
      },
      async check(_server, client) {
        const { settings: found } = await client.settings.getSettings({ projectId: project.id }, client.auth);
        const isNew = found?.backend === Backend.EXTERNAL;
        assert.ok(!isSaved || isNew, "what was said to be saved is");
        assert.equal(
          [found?.externalApiUrl, found?.hasExternalAuthToken, found?.externalProject?.slug],
          isNew ? ["https://errors.example", true, "shop"] : ["", false, undefined],
          "all of it or nothing",
        );
      },
    };
  },
};

// Retention: it runs at the start
const retention: Scenario = {
  name: "retention",
  prepare: async () => {
    const dataDir = await withEvents();
    const database = new DatabaseSync(join(dataDir, "faultline.db"));
    const past = 100 * 86_400_000;
    // The first of the two rounds was received 100 days ago. Hours and days are counted again from the events.
    database.exec(`
      update integrated_event set received_at = received_at - ${past}, occurred_at = occurred_at - ${past} where id <= 3;
      delete from integrated_hour;
      insert into integrated_hour (error_id, hour, event_count)
        select error_id, occurred_at / 3600000, count(*) from integrated_event group by 1, 2;
      update integrated_user set last_seen_day = (select max(received_at) / 86400000 from integrated_event e
        where e.error_id = integrated_user.error_id and e.user = integrated_user.user);
      update integrated_tag set last_seen_day = last_seen_day - 100
        where error_id not in (select error_id from integrated_event where id > 3)`);
    database.close();
    return dataDir;
  },
  try: () => ({
    async check(_server, client) {
      const left = async () => {
        const errors = await storedErrors(client, project.id);
        return errors.reduce((sum, { eventCount }) => sum + eventCount, 0);
      };
      await until("the old events are gone, and the others are there", async () => (await left()) === 3);
    },
  }),
};

// Packing: it runs at the start, for events that waited an hour for others
const packing: Scenario = {
  name: "packing",
  prepare: async () => {
    const dataDir = await withEvents();
    const database = new DatabaseSync(join(dataDir, "faultline.db"));
    database.exec(`
      update integrated_event set received_at = received_at - 7200000;
      update integrated_user set last_seen_day = (select max(received_at) / 86400000 from integrated_event e
        where e.error_id = integrated_user.error_id and e.user = integrated_user.user)`);
    database.close();
    return dataDir;
  },
  try: () => ({
    async check(server, client) {
      const database = new DatabaseSync(join(server.dataDir, "faultline.db"), { readOnly: true });
      const loose = () => database.prepare("select count(*) as n from integrated_payload").get()?.["n"];
      await until("all are packed", () => loose() === 0);
      database.close();
      const types: string[] = [];
      for (const { errorId } of await storedErrors(client, project.id)) {
        for (const eventId of await storedEventIds(client, project.id, errorId)) {
          const { event } = await client.errors.getEvent({ projectId: project.id, eventId }, client.auth);
          types.push(...(event?.exceptions.map(({ type }) => type) ?? []));
        }
      }
      assert.equal(types.toSorted(), ["Error0", "Error0", "Error0", "Error0", "Error1", "Error1"]);
    },
  }),
};

// The first start: keys, tables and the administrator
const firstStart: Scenario = {
  name: "the first start",
  prepare: () => Promise.resolve(tempDir()),
  try: () => ({
    async check(_server, client) {
      await client.accounts.signIn({ username: "root", password: rootPassword });
      await client.projects.createProject({ path: "acme/web", name: "Web" }, client.auth);
    },
  }),
};

// Migration from the first schema there was, so that all steps are taken
const oldest = unpackFixture(fixtures[0] ?? "none");
const migration: Scenario = {
  name: "migration",
  prepare: () => Promise.resolve(oldest.dataDir),
  try: () => ({
    async check(_server, client) {
      assertHolds(await answers(client, oldest.daysLater), oldest.recorded.answers);
    },
  }),
};

/** Does it once and kills the process at the nth call; false when it made fewer calls. */
async function killedAt(scenario: Scenario, base: string, call: string, n: number): Promise<boolean> {
  const dataDir = join(tempDir(), "data");
  cpSync(base, dataDir, { recursive: true });
  const { act, check } = scenario.try();
  const wasKilled = await (act ? killWhileActing(act, dataDir, call, n) : killWhileStarting(dataDir, call, n));
  const server = await startServer({ dataDir, env });
  const client = grpcClient(server);
  try {
    await check(server, client);
  } finally {
    client.close();
    await server.stop();
  }
  const database = new DatabaseSync(join(dataDir, "faultline.db"), { readOnly: true });
  const { integrity_check: integrity } = database.prepare("pragma integrity_check").get() ?? {};
  const differences = [...recount(database), ...recountSessions(database)];
  database.close();
  assert.equal([integrity, ...differences], ["ok"]);
  rmSync(dataDir, { recursive: true });
  return wasKilled;
}

async function killWhileActing(act: NonNullable<Try["act"]>, dataDir: string, call: string, n: number) {
  const server = await startServer({ dataDir, env });
  const client = grpcClient(server);
  const armed = await killAtCall(server.pid, call, n);
  try {
    await act(server, client);
    return false;
  } catch (error) {
    await until(`the service is dead, as ${String(error)}`, () => !isAlive(server.pid));
    return true;
  } finally {
    client.close();
    await armed.end();
    await server.kill9();
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // ESRCH: it ended, and its end was read
  }
}

async function killWhileStarting(dataDir: string, call: string, n: number): Promise<boolean> {
  const started = launch({ dataDir, env, prelude: held });
  const pid = started.process.pid ?? 0;
  await until("the process is held", () => /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, "utf8")));
  const armed = await killAtCall(pid, call, n);
  process.kill(pid, "SIGCONT");
  const isReady = until("it is ready", () => started.output().includes("Faultline is ready"), { deadlineMs: 60_000 });
  const ended = await Promise.race([isReady, started.ended]);
  // Gives work that begins at the start, such as retention, the time that it takes.
  if (ended === true) await Promise.race([started.ended, until("it is idle", idleness(pid))]);
  const wasKilled = started.process.signalCode !== null;
  await armed.end();
  if (!wasKilled) process.kill(pid, "SIGKILL");
  await started.ended;
  return wasKilled;
}

/** Returns whether a process used no processor time since the last call. */
function idleness(pid: number): () => boolean {
  let lastTime = -1;
  return () => {
    const [, , , , , , , , , , , user = "", system = ""] =
      readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    const time = Number(user) + Number(system);
    const isSame = time === lastTime;
    lastTime = time;
    return isSame;
  };
}

/**
 * Kills at one call after the other, with two concurrent tries, until a try makes no further call. Returns the number
 * of kills and the faults.
 */
async function killAtEach(scenario: Scenario, base: string, call: string, step: number) {
  const violations: string[] = [];
  let kills = 0;
  let next = 1;
  let isThrough = false;
  const lane = async () => {
    while (!isThrough && violations.length < 10) {
      const n = next;
      next += step;
      try {
        if (await killedAt(scenario, base, call, n)) kills++;
        else isThrough = true;
      } catch (error) {
        violations.push(`after a kill at ${call} number ${n}: ${String(error)}`);
      }
    }
  };
  await Promise.all([lane(), lane()]);
  return { kills, violations };
}

const missing = whyNoStrace();
if (missing !== "") console.log(`Skipped: kills at each write, sync and rename, as ${missing}.`);
else {
  const all = [ingestion, stopping, keyDeletion, settings, retention, packing, firstStart, migration];
  for (const scenario of isWhole ? all : [ingestion]) {
    test(`${scenario.name}: a kill at any write, sync or rename loses and doubles nothing`, async () => {
      const startedAt = performance.now();
      const base = await scenario.prepare();
      const kills: Record<string, number> = {};
      const violations: string[] = [];
      for (const [call, step] of Object.entries(steps)) {
        const tried = await killAtEach(scenario, base, call, step);
        kills[call] = tried.kills;
        violations.push(...tried.violations);
      }
      const sum = Object.values(kills).reduce((a, b) => a + b, 0);
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      console.log(`  ${scenario.name}: ${sum} kills in ${seconds} s ${JSON.stringify(kills)}`);
      assert.equal(violations, []);
      assert.ok(sum >= 2, `only ${sum} kills`);
    });
  }
}

test.run();
