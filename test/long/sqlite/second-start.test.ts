import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { grpcClient } from "../../support/core/grpc.ts";
import { createProject } from "../../support/core/project.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { launch, startServer, type ServerOptions } from "../../support/service/server.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { stretched } from "../../support/run/deadlines.ts";

/** Starts the service where it cannot run, and returns the sentence that it prints. */
async function refusalOf(options: ServerOptions): Promise<string> {
  const started = launch(options);
  const late = setTimeout(() => started.process.kill("SIGKILL"), stretched(20_000));
  const ending = await started.ended;
  clearTimeout(late);
  const output = started.output().trim();
  assert.ok(typeof ending === "number" && ending > 0, `ended with ${ending}:\n${output}`);
  assert.is(output.split("\n").length, 1, output);
  assert.match(output, /^[A-Z].*\.$/);
  return output;
}

test("a second start on the same data directory is refused, and the first service continues", async () => {
  const first = await startServer();
  const project = await createProject(first);
  assert.match(await refusalOf({ dataDir: first.dataDir }), first.dataDir);
  assert.is((await sendEvent(first, project, { event_id: newEventId(), message: "still here" })).status, 200);
  assert.is(await first.stop(), 0);
});

for (const signal of ["SIGINT", "SIGTERM"] as const)
  test(`${signal} stops the service with exit code 0, and it starts again with what was stored`, async () => {
    const first = await startServer();
    const project = await createProject(first);
    const eventId = newEventId();
    assert.is((await sendEvent(first, project, { event_id: eventId, message: "kept" })).status, 200);
    assert.is(await first.stop(signal), 0);

    const second = await startServer({ dataDir: first.dataDir });
    const client = grpcClient(second);
    const { event } = await client.errors.getEvent({ projectId: project.id, eventId }, client.auth);
    assert.is(event?.message, "kept");
    client.close();
    assert.is(await second.stop(signal), 0);
  });

test("a start after a crash needs no repair", async () => {
  const first = await startServer();
  await first.kill9();
  const second = await startServer({ dataDir: first.dataDir });
  assert.is(await second.stop(), 0);
});

let firstUsed: Promise<string> | undefined;

/** A data directory that was in use, and its database file. */
async function usedDataDir() {
  firstUsed ??= startServer().then(async ({ dataDir, stop }) => {
    await stop();
    return dataDir;
  });
  const dataDir = tempDir();
  cpSync(await firstUsed, dataDir, { recursive: true });
  return { dataDir, file: join(dataDir, "faultline.db") };
}

/** Begins a database, and ends by a kill before its first transaction is through. */
const cutOff = `
  const { DatabaseSync } = require("node:sqlite");
  const database = new DatabaseSync(process.argv[1]);
  database.exec("pragma cache_size = 1; begin; create table cut_off (text)");
  for (let n = 0; n < 500; n++) database.exec("insert into cut_off values (zeroblob(4000))");
  process.kill(process.pid, "SIGKILL");`;

test("a first start that was cut off while it made the database needs no repair", async () => {
  const other = await usedDataDir();
  const dataDir = tempDir();
  const file = join(dataDir, "faultline.db");
  copyFileSync(join(other.dataDir, "secrets.json"), join(dataDir, "secrets.json")); // which is made before the database
  assert.is(spawnSync(process.execPath, ["--no-warnings", "-e", cutOff, file]).signal, "SIGKILL");
  assert.ok(existsSync(`${file}-journal`));
  const server = await startServer({ dataDir });
  await createProject(server);
  await server.stop();
});

test("a database file that is not one is refused by name", async () => {
  const { dataDir, file } = await usedDataDir();
  writeFileSync(file, "this is no database ".repeat(1_000));
  assert.match(await refusalOf({ dataDir }), file);
});

test("a database file of which the beginning is gone is refused by name", async () => {
  const { dataDir, file } = await usedDataDir();
  writeFileSync(file, Buffer.alloc(4_096), { flag: "r+" });
  assert.match(await refusalOf({ dataDir }), file);
});

test("a missing key file is refused by name", async () => {
  const { dataDir } = await usedDataDir();
  const file = join(dataDir, "secrets.json");
  rmSync(file);
  assert.match(await refusalOf({ dataDir }), file);
});

test("a database file of another program is refused by name and left as it is", async () => {
  const { dataDir, file } = await usedDataDir();
  rmSync(file);
  using foreign = new DatabaseSync(file);
  foreign.exec("CREATE TABLE recipe (name TEXT); INSERT INTO recipe VALUES ('soup')");
  foreign.close();
  assert.match(await refusalOf({ dataDir }), file);
  using after = new DatabaseSync(file, { readOnly: true });
  assert.equal(
    after
      .prepare("SELECT name FROM sqlite_schema")
      .all()
      .map((row) => row["name"]),
    ["recipe"],
  );
});

test("a data directory that is a file is refused by name", async () => {
  const dataDir = join(tempDir(), "file");
  writeFileSync(dataDir, "");
  assert.match(await refusalOf({ dataDir }), dataDir);
});

for (const [what, variable] of [
  ["HTTP", "FAULTLINE_HTTP_PORT"],
  ["gRPC", "FAULTLINE_GRPC_ADDRESS"],
] as const)
  test(`a busy ${what} port is refused with the port`, async () => {
    await using holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
    const { port } = holder.address() as AddressInfo;
    const value = what === "HTTP" ? `${port}` : `127.0.0.1:${port}`;
    assert.match(await refusalOf({ env: { [variable]: value } }), String(port));
  });

for (const [variable, value] of Object.entries({
  FAULTLINE_HTTP_PORT: "eighty",
  FAULTLINE_GRPC_ADDRESS: "nowhere",
  FAULTLINE_OFFERING: "free",
  FAULTLINE_BASE_URL: "errors.example.com",
}))
  test(`${variable}=${value} is refused by the variable's name`, async () => {
    assert.match(await refusalOf({ env: { [variable]: value } }), variable);
  });

test.run();
