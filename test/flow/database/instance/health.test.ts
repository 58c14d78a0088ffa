import { statSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Backend } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../../backend/src/main.ts";
import { grpcClient, type GrpcClient } from "../../../support/core/grpc.ts";
import { http } from "../../../support/http/http.ts";
import { createProject } from "../../../support/core/project.ts";
import { newEventId, sendEvent } from "../../../support/sentry/send.ts";
import { rootPassword, rootToken, startServer } from "../../../support/service/server.ts";
import { databaseOf } from "../../../support/database/database-of.ts";
import { rowsOf, takeDatabase } from "../../../support/database/other-process.ts";
import { tempDir } from "../../../support/service/temp-dir.ts";
import { testConfig } from "../../../support/service/test-config.ts";
import { until } from "../../../support/run/until.ts";

const hourMs = 3_600_000;

const healthOf = async ({ instance, auth }: GrpcClient) => {
  const { health } = await instance.getHealth({}, auth);
  assert.ok(health);
  return health;
};
const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

test("health counts events of all projects by hour, refusals, users and projects", async () => {
  const start = Date.UTC(2026, 2, 10, 12, 30);
  const clock = { at: start, now: () => clock.at };
  const dataDir = tempDir();
  const faultline = await startFaultline(testConfig(dataDir), clock);
  const client = grpcClient(faultline);
  const server = { url: faultline.httpUrl };
  try {
    const empty = await healthOf(client);
    assert.equal(
      empty.eventsPerHour,
      Array.from({ length: 24 }, () => 0),
    );
    assert.equal(
      empty.refusedPerHour,
      Array.from({ length: 24 }, () => 0),
    );
    assert.is(empty.oldestEventTime, undefined);
    assert.is(empty.userCount, 1);
    assert.is(empty.projectCount, 0);
    assert.is(empty.encryptionKeyCount, 1);
    assert.ok(empty.isReady);
    assert.ok(empty.residentBytes > 10_000_000n);
    assert.is(Number(empty.startedTime?.seconds), start / 1000);

    const [one, other] = [await createProject(server), await createProject(server)];
    const send = async (project: typeof one, count: number) => {
      for (let n = 0; n < count; n++) {
        const event = { event_id: newEventId(), message: `error ${n % 3}` };
        assert.is((await sendEvent(server, project, event)).status, 200);
      }
    };
    await send(one, 5);
    clock.at += 3 * hourMs;
    await send(one, 2);
    await send(other, 4);
    clock.at += 20 * hourMs;
    await send(other, 1);
    await client.settings.updateSettings(
      { projectId: other.id, active: false, backend: Backend.INTEGRATED },
      client.auth,
    );
    for (let n = 0; n < 3; n++) {
      assert.is((await sendEvent(server, other, { event_id: newEventId(), message: "refused" })).status, 403);
    }

    for (const path of [`/api/${other.id}/store/`, `/api/${other.id}/envelope/`]) {
      const { status } = await http(server.url + path, { method: "POST", body: "{}\n" });
      assert.is(status, 401, "without a key it is nobody's");
    }

    const health = await healthOf(client);
    assert.equal(
      health.eventsPerHour,
      Array.from({ length: 24 }, (_, n) => ({ 0: 5, 3: 6, 23: 1 })[n] ?? 0),
    );
    assert.equal(
      health.refusedPerHour,
      Array.from({ length: 24 }, (_, n) => (n === 23 ? 3 : 0)),
    );
    assert.equal(
      health.refusedProjects.map(({ projectId, projectPath, quantity, reason }) => [
        projectId,
        projectPath,
        quantity,
        reason,
      ]),
      [[other.id, other.path, 3n, "not_active"]],
    );
    assert.is(health.projectCount, 2);
    assert.is(Number(health.oldestEventTime?.seconds), Date.UTC(2026, 2, 10) / 1000);
    // PostgreSQL vacuums in between: the size is compared where it was the same before and after the answer.
    const sizes = await until("a size that stands still", async () => {
      const before = await bytesOfDatabase(dataDir);
      const { databaseBytes } = await healthOf(client);
      const after = await bytesOfDatabase(dataDir);
      return before === after && [Number(databaseBytes), after];
    });
    assert.is(sizes[0], sizes[1]);

    clock.at += hourMs;
    assert.is(sum((await healthOf(client)).eventsPerHour), 7);
  } finally {
    client.close();
    await faultline.stop();
  }
});

async function bytesOfDatabase(dataDir: string): Promise<number> {
  if (databaseOf(dataDir) !== undefined) {
    const [row] = await rowsOf(dataDir, "select pg_database_size(current_database()) as bytes");
    return Number(row?.["bytes"]);
  }
  return sum(["faultline.db", "faultline.db-wal"].map((file) => statSync(join(dataDir, file)).size));
}

test("health is reported while nothing can be written, and says so", async () => {
  const server = await startServer();
  const client = grpcClient(server);
  assert.ok((await healthOf(client)).isReady);
  const giveBack = await takeDatabase(server.dataDir);
  await until("not ready", async () => !(await healthOf(client)).isReady);
  await giveBack();
  await until("ready", async () => (await healthOf(client)).isReady);
  client.close();
  await server.stop();
});

test("every user learns what is offered here", async () => {
  const server = await startServer({ env: { FAULTLINE_BASE_URL: "https://errors.example.com" } });
  const client = grpcClient(server);
  const { instance } = await client.instance.getInstance({}, client.auth);
  assert.match(instance?.version ?? "", /^\d+\.\d+\.\d+$/);
  assert.is(instance?.offering, "hosted");
  assert.is(instance?.platformRelease, "18.0");
  assert.is(instance?.baseUrl, "https://errors.example.com");
  client.close();
  await server.stop();
});

test("data directory and files are their owner's alone, and the process list shows no secret", async () => {
  const dataDir = join(tempDir(), "new", "data");
  const server = await startServer({ dataDir });
  const client = grpcClient(server);
  await client.instance.rotateEncryptionKey({}, client.auth);
  assert.is(statSync(dataDir).mode & 0o777, 0o700);
  for (const file of readdirSync(dataDir)) assert.is(statSync(join(dataDir, file)).mode & 0o077, 0, file);
  const commandLine = readFileSync(`/proc/${server.pid}/cmdline`, "utf8");
  assert.match(commandLine, "faultline.js");
  for (const secret of [rootPassword, rootToken]) assert.not.match(commandLine, secret);
  client.close();
  await server.stop();
});

test.run();
