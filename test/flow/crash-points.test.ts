// limit: 120 s
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { Backend, ErrorStatus } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { grpcClient, type GrpcClient } from "../support/grpc.ts";
import { createProject, type Project } from "../support/project.ts";
import { recount, recountSessions } from "../support/recount.ts";
import { envelope, newEventId, sendEnvelope, sendStore } from "../support/send.ts";
import { launch, startServer, type Server } from "../support/server.ts";
import { storedErrors, storedEventIds } from "../support/stored.ts";
import { killAtCall, whyNoStrace } from "../support/strace.ts";
import { tempDir } from "../support/temp-dir.ts";
import { until } from "../support/until.ts";

/** `npm run test:crash` tries every point of every scenario; `npm test` some of ingestion. A try takes two starts. */
const isWhole = process.env["CRASH_POINTS"] === "all";

/** Every call that makes something durable, or begins to. */
const calls = isWhole ? ["pwrite64", "fsync", "fdatasync", "rename", "ftruncate", "unlink"] : ["pwrite64", "fsync"];

/** One thread for SQLite, so that its nth call is the same one each time. */
const env = { UV_THREADPOOL_SIZE: "1" };

/** What is done while the process is killed, and what must hold after it. */
interface Scenario {
  readonly name: string;
  /** Makes the data directory that each try begins with. */
  prepare(): Promise<string>;
  /** Done with the running service; where it is absent, starting is what is done. Throws when the service dies. */
  act?(server: Server, client: GrpcClient): Promise<void>;
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
const sent: string[] = [];
let acknowledged = new Set<string>();

async function sendSome(server: Server): Promise<void> {
  acknowledged = new Set();
  sent.length = 0;
  for (let n = 0; n < 3; n++) {
    const id = newEventId();
    sent.push(id);
    const event = { event_id: id, exception: { values: [{ type: `Error${n % 2}`, value: "x" }] }, user: { id: n } };
    const session = { sid: id, init: true, started: new Date().toISOString(), status: "ok", attrs: { release: "a@1" } };
    const { status } =
      n === 1
        ? await sendEnvelope(server, project, envelope(id, [{ type: "event" }, event], [{ type: "session" }, session]))
        : await sendStore(server, project, event);
    if (status === 200) acknowledged.add(id);
  }
}

const ingestion: Scenario = {
  name: "ingestion",
  prepare: () => prepared(async (server) => void (project = await createProject(server))),
  act: (server) => sendSome(server),
  async check(_server, client) {
    const stored: string[] = [];
    for (const { errorId } of await storedErrors(client, project.id)) {
      stored.push(...(await storedEventIds(client, project.id, errorId)));
    }
    assert.is(new Set(stored).size, stored.length, "none is stored twice");
    assert.equal(
      [...acknowledged].filter((id) => !stored.includes(id)),
      [],
      "none that was acknowledged is lost",
    );
    assert.equal(
      stored.filter((id) => !sent.includes(id)),
      [],
    );
  },
};

// Client keys
let isDeleted = false;
const keyDeletion: Scenario = {
  name: "deletion of a client key",
  prepare: () => prepared(async (server) => void (project = await createProject(server))),
  async act(_server, client) {
    isDeleted = false;
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

// Settings
const external = {
  active: true,
  backend: Backend.EXTERNAL,
  externalApiUrl: "https://errors.example",
  externalAuthToken: "external-token",
  externalProject: { id: "7", slug: "shop", name: "Shop", organizationSlug: "acme", organizationName: "Acme" },
};
let isSaved = false;
const settings: Scenario = {
  name: "settings",
  prepare: () => prepared(async (server) => void (project = await createProject(server))),
  async act(_server, client) {
    isSaved = false;
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

// Retention: it runs at the start
const retention: Scenario = {
  name: "retention",
  prepare: async () => {
    const dataDir = await prepared(async (server) => {
      project = await createProject(server);
      await sendSome(server);
      await sendSome(server);
    });
    const database = new DatabaseSync(join(dataDir, "faultline.db"));
    const past = 100 * 86_400_000;
    // The first of the two rounds was received 100 days ago. Hours and days are counted anew from the events.
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
  async check(_server, client) {
    const left = async () => {
      const errors = await storedErrors(client, project.id);
      return errors.reduce((sum, { eventCount }) => sum + eventCount, 0);
    };
    await until("the old events are gone, and the others are there", async () => (await left()) === 3);
  },
};

// Migration of the schema before this one
const migration: Scenario = {
  name: "migration",
  prepare: async () => olderData(),
  async check(_server, client) {
    const { projects } = await client.projects.listProjects({}, client.auth);
    assert.equal(
      projects.map(({ path }) => path),
      ["acme/external", "acme/web"],
    );
    const errors = await storedErrors(client, projects[1]?.projectId ?? 0);
    assert.is(errors.length, 8);
    assert.is(
      errors.reduce((sum, { eventCount }) => sum + eventCount, 0),
      40,
    );
    assert.equal(
      [ErrorStatus.RESOLVED, ErrorStatus.IGNORED].map((one) => errors.filter(({ status }) => status === one).length),
      [1, 1],
    );
  },
};

/** A data directory as the release before migration core-0004 left it. */
function olderData(): string {
  const fixture = join(import.meta.dirname, "../fixtures/schemas/core-0003");
  const dataDir = join(tempDir(), "older");
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "faultline.db"), gunzipSync(readFileSync(join(fixture, "faultline.db.gz"))));
  cpSync(join(fixture, "secrets.json"), join(dataDir, "secrets.json"));
  return dataDir;
}

/** Does it once and kills the process at the nth call; false when it made fewer calls. */
async function killedAt(scenario: Scenario, base: string, call: string, n: number): Promise<boolean> {
  const dataDir = join(tempDir(), "data");
  cpSync(base, dataDir, { recursive: true });
  const wasKilled = await (scenario.act ? killWhileActing : killWhileStarting)(scenario, dataDir, call, n);
  const server = await startServer({ dataDir, env });
  const client = grpcClient(server);
  try {
    await scenario.check(server, client);
  } catch (error) {
    throw new Error(`after a kill at ${call} number ${n}: ${String(error)}`, { cause: error });
  } finally {
    client.close();
    await server.stop();
  }
  const database = new DatabaseSync(join(dataDir, "faultline.db"), { readOnly: true });
  assert.equal([...recount(database), ...recountSessions(database)], [], `after a kill at ${call} number ${n}`);
  database.close();
  return wasKilled;
}

async function killWhileActing(scenario: Scenario, dataDir: string, call: string, n: number): Promise<boolean> {
  const server = await startServer({ dataDir, env });
  const client = grpcClient(server);
  const armed = await killAtCall(server.pid, call, n);
  try {
    await scenario.act?.(server, client);
    await armed.end();
    await server.kill9();
    return false;
  } catch {
    await armed.end(); // the service died under it
    await server.kill9();
    return true;
  } finally {
    client.close();
  }
}

async function killWhileStarting(_: Scenario, dataDir: string, call: string, n: number): Promise<boolean> {
  const started = launch({ dataDir, env, isHeld: true });
  const pid = started.process.pid ?? 0;
  await until("the process is held", () => /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, "utf8")));
  const armed = await killAtCall(pid, call, n);
  process.kill(pid, "SIGCONT");
  const isReady = until("it is ready", () => started.output().includes("Faultline is ready")).then(() => "ready");
  const ended = await Promise.race([isReady, started.ended]);
  // What begins at the start, as retention does, is given the time that it takes.
  if (ended === "ready") await Promise.race([started.ended, until("it is idle", () => isIdle(pid))]);
  const wasKilled = started.process.signalCode !== null;
  await armed.end();
  if (!wasKilled) process.kill(pid, "SIGKILL");
  await started.ended;
  return wasKilled;
}

let lastTime = -1;
/** Whether it used no processor since it was asked last. */
function isIdle(pid: number): boolean {
  const [, , , , , , , , , , , user = "", system = ""] =
    readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const time = Number(user) + Number(system);
  const isSame = time === lastTime;
  lastTime = time;
  return isSame;
}

const missing = whyNoStrace();
if (missing !== "") console.log(`Skipped: kills at each write, sync and rename, as ${missing}.`);
else {
  const scenarios = isWhole ? [ingestion, keyDeletion, settings, retention, migration] : [ingestion];
  for (const scenario of scenarios) {
    test(`${scenario.name}: a kill at any write, sync or rename loses and doubles nothing`, async () => {
      const base = await scenario.prepare();
      let kills = 0;
      for (const call of calls) {
        const step = isWhole ? 1 : call === "pwrite64" ? 40 : 3;
        for (let n = 1; n < 2_000 && (await killedAt(scenario, base, call, n)); n += step) kills++;
      }
      console.log(`  ${scenario.name}: ${kills} kills`);
      assert.ok(kills >= 2, `only ${kills} kills`);
    });
  }
}

test.run();
