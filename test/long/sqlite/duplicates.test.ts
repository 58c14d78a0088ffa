import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { runningServer } from "../../support/service/flow.ts";
import { audit } from "../../support/database/ledger/audit.ts";
import { Ledger } from "../../support/database/ledger/ledger.ts";
import { readBack } from "../../support/database/ledger/read-back.ts";
import { startWorkers } from "../../support/database/ledger/workers.ts";
import { createKey, createProject } from "../../support/core/project.ts";
import { tempDir } from "../../support/service/temp-dir.ts";

/** `npm run test:crash` sends 100,000. */
const events = Number(process.env["DUPLICATES"] ?? 600);
const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
const workerCount = 3;

const { server, client } = await runningServer();
const projects = await Promise.all(
  [1, 2, 3].map(async () => {
    const { id, key } = await createProject(server);
    return { id, keys: [key, (await createKey(server, id)).key] };
  }),
);
const workers = startWorkers({ count: workerCount, connections: 8, seed, directory: tempDir(), projects });
test.after(() => workers.end());

test(`${events} events, each sent one to five times simultaneously, are stored and counted once each`, async () => {
  console.log(`seed ${seed}`);
  await workers.round({ url: server.url, era: 0, newEvents: Math.ceil(events / workerCount), repeatedShare: 0.8 }).over;
  const ledger = new Ledger(workers.files);
  ledger.read();
  const answers = ledger.statuses.get(200) ?? 0;
  console.log(`  ${ledger.sentCount} events in ${answers} requests`);
  assert.equal([...ledger.statuses.keys()], [200]);
  assert.is(ledger.acknowledgedCount, ledger.sentCount);
  assert.ok(answers > 2 * events, "too few were repeated to prove anything");
  const ids = projects.map(({ id }) => id);
  const found = [...(await readBack(client, ids, ledger)), ...audit(join(server.dataDir, "faultline.db"), ledger)];
  assert.equal([...found, ...ledger.odd], []);
});

test.run();
