// limit: 240 s
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { Backend, ErrorReason } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../backend/src/main.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { execSql, rowsOf } from "../../support/database/other-process.ts";
import { createProject } from "../../support/core/project.ts";
import { rejects } from "../../support/assert/rejects.ts";
import { rounds } from "../../support/run/rounds.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { startServer } from "../../support/service/server.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";
import { until } from "../../support/run/until.ts";

const minuteMs = 60_000;
const ownDsn = "https://abcdef0123456789@o1.ingest.sentry.io/3"; // the only kind of system that is not asked for its version
const authToken = "token-of-the-external-system";

interface KeyFile {
  readonly pepper: string;
  readonly keys: { readonly id: string; readonly secret: string }[];
}
const keyFile = (dataDir: string) => JSON.parse(readFileSync(join(dataDir, "secrets.json"), "utf8")) as KeyFile;
const keyIds = (dataDir: string) => keyFile(dataDir).keys.map(({ id }) => id);

/** The keys that encrypted the stored values, such as `["v1.1", "v1.2"]`. Of a service that does not run. */
async function usedKeys(dataDir: string): Promise<string[]> {
  const rows = await rowsOf(
    dataDir,
    `select sealed_pair as sealed from client_key union all
     select external_auth_token from settings where external_auth_token is not null union all
     select dsn from own_error_reporting where dsn is not null`,
  );
  assert.ok(rows.length >= 4);
  return [...new Set(rows.map((row) => String(row["sealed"]).split(".", 2).join(".")))].toSorted();
}

/** A secret of each kind: client keys of two projects, an external token, a DSN for own errors. */
async function fill(client: GrpcClient, server: { url: string }) {
  const projects = [await createProject(server), await createProject(server)];
  const { project: external } = await client.projects.createProject({ path: `external-${process.pid}` }, client.auth);
  const externalId = external?.projectId ?? 0;
  await client.settings.updateSettings(
    {
      projectId: externalId,
      active: true,
      backend: Backend.EXTERNAL,
      externalApiUrl: "http://127.0.0.1:1",
      externalAuthToken: authToken,
      externalProject: { organizationSlug: "acme", slug: "shop" },
    },
    client.auth,
  );
  await client.instance.updateOwnErrorReporting({ dsn: ownDsn }, client.auth);
  return { projects, externalId };
}

/** Reads every secret that `fill` made, each by its own door. */
async function assertReadable(
  client: GrpcClient,
  server: { url: string },
  { projects, externalId }: Awaited<ReturnType<typeof fill>>,
): Promise<void> {
  for (const project of projects) {
    const { clientKeys } = await client.clientKeys.listClientKeys({ projectId: project.id }, client.auth);
    assert.ok(clientKeys.some(({ publicKey }) => publicKey === project.key));
    const { status } = await sendEvent(server, project, { event_id: newEventId(), message: "kept" });
    assert.is(status, 200);
  }
  // A token that no key opens fails before its address is refused.
  const reading = client.errors.listErrors({ projectId: externalId }, client.auth);
  assert.is((await rejects(reading, "FAILED_PRECONDITION")).reason, ErrorReason.EXTERNAL_ADDRESS_REFUSED);
  const { ownErrorReporting } = await client.instance.getOwnErrorReporting({}, client.auth);
  assert.is(ownErrorReporting?.dsn, "https://abcd…@o1.ingest.sentry.io/3");
}

/** The service in this process, on a clock of the test. */
async function running<Result>(
  dataDir: string,
  clock: { at: number },
  work: (client: GrpcClient, server: { url: string }) => Promise<Result>,
): Promise<Result> {
  const faultline = await startFaultline({ ...testConfig(dataDir), logLevel: "silent" }, { now: () => clock.at });
  const client = grpcClient(faultline);
  try {
    return await work(client, { url: faultline.httpUrl });
  } finally {
    client.close();
    await faultline.stop();
  }
}

const keyCount = async ({ instance, auth }: GrpcClient) =>
  (await instance.getHealth({}, auth)).health?.encryptionKeyCount ?? 0;
const waiting = async ({ instance, auth }: GrpcClient) => (await instance.rotateEncryptionKey({}, auth)).waitingCount;

test("a rotation encrypts every secret again, drops the old key after a minute, and all stays readable meanwhile", async () => {
  const dataDir = tempDir();
  const clock = { at: Date.now() };
  await running(dataDir, clock, async (client, server) => {
    const filled = await fill(client, server);
    const { pepper, keys } = keyFile(dataDir);
    assert.ok((await waiting(client)) >= 6);
    assert.is(await keyCount(client), 2);
    await assertReadable(client, server, filled);
    await until("nothing to wait", async () => (await waiting(client)) === 0);
    assert.equal(keyIds(dataDir), ["2", "1"], "calling it again added a key");
    await assertReadable(client, server, filled);
    await until("the old key to go", async () => {
      clock.at += minuteMs + 1; // a step that encrypted something starts the minute again
      return (await keyCount(client)) === 1;
    });
    await assertReadable(client, server, filled);
    assert.is(keyFile(dataDir).pepper, pepper);
    assert.not.match(readFileSync(join(dataDir, "secrets.json"), "utf8"), keys[0]?.secret ?? "");
  });
  assert.equal(await usedKeys(dataDir), ["v1.2"]);
});

test("a secret that is saved during a rotation is kept", async () => {
  const dataDir = tempDir();
  const clock = { at: Date.now() };
  await running(dataDir, clock, async (client, server) => {
    const filled = await fill(client, server);
    const projectId = filled.projects[0]?.id ?? 0;
    const made: string[] = [];
    const isWaiting = async () => (await waiting(client)) > 0;
    do {
      if (made.length < 40) {
        // a project has at most 50, and a fast machine would make more before the rotation ends
        const { clientKey } = await client.clientKeys.createClientKey({ projectId }, client.auth);
        made.push(clientKey?.publicKey ?? "");
      }
      await client.instance.updateOwnErrorReporting({ dsn: ownDsn }, client.auth);
    } while (await isWaiting());
    await until("the old key to go", async () => {
      clock.at += minuteMs + 1; // a step that encrypted something starts the minute again
      return (await keyCount(client)) === 1;
    });
    await assertReadable(client, server, filled);
    const { clientKeys } = await client.clientKeys.listClientKeys({ projectId, pageSize: 100 }, client.auth);
    const listed = clientKeys.map(({ publicKey }) => publicKey);
    assert.equal(
      made.filter((key) => !listed.includes(key)),
      [],
    );
  });
});

// The states in which a crash may leave an installation. The test makes each by hand, and the next start continues from
// there.

/** An installation with a secret of each kind that was stopped. */
async function installation() {
  const dataDir = tempDir();
  const clock = { at: Date.now() };
  const filled = await running(dataDir, clock, fill);
  return { dataDir, clock, filled };
}

const addKey = (dataDir: string) => {
  const { pepper, keys } = keyFile(dataDir);
  const added = { id: "2", secret: randomBytes(32).toString("base64") };
  writeFileSync(join(dataDir, "secrets.json"), JSON.stringify({ pepper, keys: [added, ...keys] }));
};

/** Goes on after a crash; answers when one key is left. */
async function resume({ dataDir, clock, filled }: Awaited<ReturnType<typeof installation>>): Promise<void> {
  await running(dataDir, clock, async (client, server) => {
    await assertReadable(client, server, filled);
    await until("the old key to go", async () => {
      clock.at += minuteMs;
      return (await keyCount(client)) === 1;
    });
    await assertReadable(client, server, filled);
  });
  assert.equal(keyIds(dataDir), ["2"]);
  assert.equal(await usedKeys(dataDir), ["v1.2"]);
}

test("a start continues with a second key in the file and nothing encrypted with it", async () => {
  const found = await installation();
  addKey(found.dataDir);
  await resume(found);
});

test("a start continues with half of the secrets encrypted with the second key", async () => {
  const found = await installation();
  addKey(found.dataDir);
  const old = await rowsOf(found.dataDir, "select id, sealed_pair from client_key order by id");
  await running(found.dataDir, found.clock, async (client) => {
    await until("nothing to wait", async () => (await waiting(client)) === 0);
  });
  assert.equal(keyIds(found.dataDir), ["2", "1"]);
  const back = old
    .filter((_, n) => n % 2 === 1)
    .map(
      (row) => `update client_key set sealed_pair = '${String(row["sealed_pair"])}' where id = ${String(row["id"])};`,
    );
  await execSql(found.dataDir, back.join("\n"));
  assert.equal(await usedKeys(found.dataDir), ["v1.1", "v1.2"]);
  await resume(found);
});

test("a start after everything was encrypted again, before the old key was dropped, drops it", async () => {
  const found = await installation();
  addKey(found.dataDir);
  await running(found.dataDir, found.clock, async (client) => {
    await until("nothing to wait", async () => (await waiting(client)) === 0);
  });
  assert.equal(await usedKeys(found.dataDir), ["v1.2"]);
  await resume(found);
});

const kills = rounds({ short: 2, long: 4 });

test("a kill at any moment of a rotation leaves an installation that starts and reads everything", async () => {
  const dataDir = tempDir();
  let filled: Awaited<ReturnType<typeof fill>> | undefined;
  for (let round = 0; round < kills; round++) {
    const server = await startServer({ dataDir });
    const client = grpcClient(server);
    filled ??= await fill(client, server);
    await assertReadable(client, server, filled);
    const rotation = client.instance.rotateEncryptionKey({}, client.auth).catch(() => undefined); // the kill may end it
    if (round > 0) await rotation;
    if (round > 1) await client.instance.getHealth({}, client.auth);
    await server.kill9();
    await rotation;
    client.close();
  }
  assert.ok(keyIds(dataDir).length <= 2, keyIds(dataDir).join());
  const server = await startServer({ dataDir });
  const client = grpcClient(server);
  assert.ok(filled);
  await assertReadable(client, server, filled);
  client.close();
  await server.stop();
});

test("a secret that was moved to another row is not shown there, and a rotation neither mends it nor stops at it", async () => {
  const found = await installation();
  const { dataDir, clock, filled } = found;
  const [from, to] = filled.projects;
  assert.ok(from && to);
  const other = `select sealed_pair from client_key where project_id = ${from.id} limit 1`;
  await execSql(dataDir, `update client_key set sealed_pair = (${other}) where project_id = ${to.id}`);
  await running(dataDir, clock, async (client) => {
    const refusal = await rejects(client.clientKeys.listClientKeys({ projectId: to.id }, client.auth), "INTERNAL");
    assert.not.match(refusal.message, from.key);
    const { clientKeys } = await client.clientKeys.listClientKeys({ projectId: from.id }, client.auth);
    assert.ok(clientKeys.length > 0);
    await until("all others to be encrypted anew", async () => {
      clock.at += minuteMs;
      return (await waiting(client)) === 2;
    });
    assert.is(await keyCount(client), 2);
    await rejects(client.clientKeys.listClientKeys({ projectId: to.id }, client.auth), "INTERNAL");
  });
  assert.equal(keyIds(dataDir), ["2", "1"]);
  assert.equal(await usedKeys(dataDir), ["v1.1", "v1.2"]);
});

test("only administrators rotate, and tokens that read only do not", async () => {
  const server = await startServer();
  const client = grpcClient(server);
  await rejects(client.instance.rotateEncryptionKey({}), "UNAUTHENTICATED");
  await rejects(client.instance.getHealth({}), "UNAUTHENTICATED");
  assert.equal(keyIds(server.dataDir), ["1"]);
  client.close();
  await server.stop();
});

test.run();
