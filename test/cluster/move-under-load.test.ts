// limit: 1200 s
// alone: loads the machine
import { spawn } from "node:child_process";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { MoveReport } from "../../backend/src/storage/move/move.ts";
import { makeLargeDatabase } from "../bench/large-database.ts";
import { grpcClient } from "../support/core/grpc.ts";
import { auditPostgresql } from "../support/database/ledger/audit-postgresql.ts";
import { Ledger } from "../support/database/ledger/ledger.ts";
import { readBack } from "../support/database/ledger/read-back.ts";
import { startWorkers } from "../support/database/ledger/workers.ts";
import { startPostgresql, withPostgresql } from "../support/database/postgresql.ts";
import { createProject } from "../support/core/project.ts";
import { residentBytes } from "../support/service/resident-bytes.ts";
import { bundle, repositoryRoot, startServer } from "../support/service/server.ts";
import { tempDir } from "../support/service/temp-dir.ts";

const largeEvents = 100_000;
const megabytes = (bytes: number) => Math.round(bytes / 1e6);

interface Moved {
  readonly report: MoveReport;
  readonly seconds: number;
  readonly largestBytes: number;
}

/** Runs the command, and watches how much memory it takes. */
async function faultlineMove(dataDir: string, ...args: string[]): Promise<Moved> {
  const from = performance.now();
  const child = spawn(process.execPath, [bundle, "move", ...args], {
    cwd: repositoryRoot,
    env: { FAULTLINE_DATA_DIR: dataDir },
  });
  let [stdout, stderr, largestBytes] = ["", "", 0];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const watch = setInterval(() => (largestBytes = Math.max(largestBytes, residentBytes(child.pid ?? -1) || 0)), 100);
  const code = await new Promise((resolve) => child.once("close", resolve));
  clearInterval(watch);
  assert.is(code, 0, stderr);
  return { report: JSON.parse(stdout) as MoveReport, seconds: (performance.now() - from) / 1_000, largestBytes };
}

function print(what: string, { report, seconds, largestBytes }: Moved): void {
  const events = report.tables.find(({ table }) => table === "integrated_event");
  const payloads = report.tables.find(({ table }) => table === "integrated_payload");
  console.log(
    `${what}: ${seconds.toFixed(1)} s, ${events?.written} of ${events?.rows} events written, ${payloads?.compared} payloads compared, at most ${megabytes(largestBytes)} MB`,
  );
}

test("an installation with 100,000 events is moved under load: everything acknowledged is there, once", async () => {
  const postgresql = await startPostgresql({ syncs: true });
  const to = await postgresql.createDatabase();
  const dataDir = tempDir();
  const first = await startServer({ dataDir });
  const large = await createProject(first);
  const projects = [await createProject(first), await createProject(first)];
  await first.stop();
  makeLargeDatabase({ dataDir, projectId: large.id, events: largeEvents, errors: 1_000 });

  const server = await startServer({ dataDir });
  const workers = startWorkers({
    count: 2,
    connections: 15,
    seed: 7,
    directory: tempDir(),
    projects: projects.map(({ id, key }) => ({ id, keys: [key] })),
  });
  const ledger = new Ledger(workers.files);
  const loaded = performance.now();
  const round = workers.round({ url: server.url, era: 0, everyMs: 100 });
  await round.underWay;
  const runs = [await faultlineMove(dataDir, "--to", to), await faultlineMove(dataDir, "--to", to)];
  await server.stop(); // while events arrive
  const loadSeconds = (performance.now() - loaded) / 1_000;
  await round.over;
  const last = await faultlineMove(dataDir, "--to", to, "--final");
  assert.ok(last.report.cutOverTime);

  const onPostgresql = await startServer({ dataDir, env: { FAULTLINE_DATABASE_URL: to } });
  const client = grpcClient(onPostgresql);
  ledger.read();
  const { acknowledgedCount, sentCount } = ledger;
  console.log(`${acknowledgedCount} of ${sentCount} events acknowledged in ${loadSeconds.toFixed(1)} s`);
  runs.forEach((run, n) => print(`run ${n + 1}, online`, run));
  print("the final run", last);
  for (const { report } of [...runs, last]) assert.equal(report.differences, []);
  assert.ok(acknowledgedCount > 500, "too few events for a load");

  const check = async (what: string) => {
    const found = await withPostgresql(to, (connection) => auditPostgresql(connection, ledger));
    const made = found.filter((line) => line.startsWith("stored and not sent: "));
    assert.is(made.length, largeEvents, `${what}: those that were there before`);
    assert.equal([...found.filter((line) => !line.startsWith("stored and not sent: ")), ...ledger.odd], [], what);
    const ids = projects.map(({ id }) => id);
    assert.equal(await readBack(client, ids, ledger), [], what);
  };
  await check("after the move");

  // Sends everything without an answer again, some answered events, and new ones.
  await workers.round({ url: onPostgresql.url, era: 0, newEvents: 200 }).over;
  ledger.read();
  assert.ok(ledger.acknowledgedCount > acknowledgedCount + 300);
  await check("after more events");

  workers.end();
  client.close();
  await onPostgresql.stop();
  await postgresql.stop();
});

test.run();
