import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { grpcClient } from "../../../support/core/grpc.ts";
import { launch, startServer } from "../../../support/service/server.ts";
import { tempDir } from "../../../support/service/temp-dir.ts";
import { stretched } from "../../../support/run/deadlines.ts";

/** Somebody who may write into the data directory before the service does, such as below a shared one. */

async function refusedStart(dataDir: string): Promise<string> {
  const started = launch({ dataDir });
  const late = setTimeout(() => started.process.kill("SIGKILL"), stretched(20_000));
  assert.is(await started.ended, 1, started.output());
  clearTimeout(late);
  return started.output().trim();
}

for (const file of ["faultline.db", "faultline.db-wal", "lock", "secrets.json", "secrets.json.new"]) {
  test(`A113: a link in the place of ${file} is refused by name, and where it leads nothing is written`, async () => {
    const dataDir = tempDir();
    const elsewhere = join(tempDir(), "elsewhere");
    writeFileSync(elsewhere, "as it was");
    symlinkSync(elsewhere, join(dataDir, file));
    const output = await refusedStart(dataDir);
    assert.match(output, `symbolic link ${file}`);
    assert.is(output.split("\n").length, 1, output);
    assert.is(readFileSync(elsewhere, "utf8"), "as it was");
  });
}

test("A113: a link to a place that does not exist yet is refused too", async () => {
  const dataDir = tempDir();
  symlinkSync(join(tempDir(), "not-there"), join(dataDir, "secrets.json"));
  assert.match(await refusedStart(dataDir), "symbolic link secrets.json");
});

test("A113: a file that was put where the keys are drafted neither gets them nor lends its rights", async () => {
  const dataDir = tempDir();
  const draft = join(dataDir, "secrets.json.new");
  writeFileSync(draft, "planted", { mode: 0o666 });
  chmodSync(draft, 0o666);
  const held = openSync(draft, "r"); // who put it there still reads it
  const server = await startServer({ dataDir });
  assert.is(statSync(join(dataDir, "secrets.json")).mode & 0o777, 0o600);
  assert.is(readFileSync(held, "utf8"), "planted");
  closeSync(held);
  await server.stop();
});

test("A113: the data directory itself may be a link, which operators make", async () => {
  const real = join(tempDir(), "disk");
  mkdirSync(real);
  const dataDir = join(tempDir(), "data");
  symlinkSync(real, dataDir);
  const server = await startServer({ dataDir });
  const client = grpcClient(server);
  assert.ok((await client.instance.getInstance({}, client.auth)).instance);
  client.close();
  await server.stop();
});

test("A114: a database with a schema that calls functions is opened without trusting it", async () => {
  const dataDir = tempDir();
  const server = await startServer({ dataDir });
  await server.stop();
  const database = new DatabaseSync(join(dataDir, "faultline.db"));
  database.exec(`create trigger planted after insert on project begin
    select load_extension('/tmp/evil.so'); end`);
  database.close();
  const again = await startServer({ dataDir });
  const client = grpcClient(again);
  const refusal = await client.projects.createProject({ path: "x" }, client.auth).catch(String);
  assert.match(String(refusal), "The service failed");
  assert.match(again.output(), /unsafe use of load_extension|not authorized|no such function: load_extension/);
  client.close();
  await again.stop();
});

test.run();
