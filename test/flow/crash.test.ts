// limit: 240 s
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { randomFrom } from "../bench/node-event.ts";
import { grpcClient } from "../support/grpc.ts";
import { Ledger } from "../support/ledger.ts";
import { load, type LoadRequest } from "../support/load.ts";
import { createProject, type Project } from "../support/project.ts";
import { reported } from "../support/reported.ts";
import { newEventId, sentryAuth } from "../support/send.ts";
import { startServer, type Server } from "../support/server.ts";
import { storedErrors, storedEventIds } from "../support/stored.ts";

const cycles = 100;
const connections = 16;
const groups = 20;
const users = 50;

/** Set SEED to repeat the kill times of a run. */
const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
const random = randomFrom(seed);
const ledger = new Ledger();
const newestAcknowledged: string[] = [];
let interrupted = 0;

// What an event says follows from its id, so that a retry is the same event and the verifier can recount.
const groupOf = (id: string) => Number.parseInt(id.slice(0, 4), 16) % groups;
const userOf = (id: string) => Number.parseInt(id.slice(4, 8), 16) % users;

function requestOf(server: Server, project: Project, id: string): LoadRequest {
  const body = JSON.stringify({
    event_id: id,
    exception: { values: [{ type: `Error${groupOf(id)}`, value: `number ${id}` }] },
    user: { id: userOf(id) },
    tags: { region: "eu-west" },
    release: "shop@1.2.3",
    extra: { padding: id.repeat(20) },
  });
  const head =
    `POST /api/${project.id}/store/ HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\n` +
    `X-Sentry-Auth: ${sentryAuth(project.key)}\r\nContent-Length: ${body.length}\r\n\r\n`;
  return { id, parts: [Buffer.from(head + body)] };
}

/** Loads the server until it is killed; what the last crash left unanswered is sent again first. */
async function loadAndKill(server: Server, project: Project): Promise<void> {
  const retries = ledger.unacknowledged();
  const killed = new Promise<void>((resolve, reject) => {
    setTimeout(() => server.kill9().then(resolve, reject), 50 + random() * 200);
  });
  await load({
    url: server.url,
    connections,
    next: () => {
      const id = retries.pop() ?? newEventId();
      ledger.willSend(id);
      return requestOf(server, project, id);
    },
    onAnswer: ({ id }, status) => {
      ledger.answered(id, status);
      newestAcknowledged[0] = id;
    },
  });
  await killed;
  interrupted += ledger.unacknowledged().length;
}

let server: Server;
let project: Project;

test.before(
  reported(async () => {
    console.log(`seed ${seed}`);
    server = await startServer();
    project = await createProject(server);
  }),
);

test(`${cycles} crashes under load: each time the newest acknowledged event is there after the restart`, async () => {
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    await loadAndKill(server, project);
    server = await startServer({ dataDir: server.dataDir });
    const [eventId] = newestAcknowledged;
    if (eventId === undefined) continue;
    const client = grpcClient(server);
    const { event } = await client.errors.getEvent({ projectId: project.id, eventId }, client.auth);
    client.close();
    assert.is(event?.eventId, eventId, `cycle ${cycle}`);
  }
  console.log(`${ledger.sent.size} sent, ${ledger.acknowledged.size} acknowledged, ${interrupted} interrupted`);
  assert.ok(ledger.acknowledged.size > 10 * cycles, "the load was too low to prove anything");
  assert.ok(interrupted > cycles, "the kills interrupted too little to prove anything");
  assert.equal([...ledger.statuses.keys()], [200]);
});

test("no acknowledged event is lost, none is there twice, and all counts equal a recount through the API", async () => {
  const client = grpcClient(server);
  const seen = new Set<string>();
  for (const error of await storedErrors(client, project.id)) {
    const { errorId, eventCount, affectedUserCount } = error;
    const ids = await storedEventIds(client, project.id, errorId);
    for (const id of ids) assert.is(`Error${groupOf(id)}`, error.type);
    assert.is(ids.length, eventCount, `event_count of ${error.title}`);
    assert.is(new Set(ids.map(userOf)).size, affectedUserCount, `affected_user_count of ${error.title}`);
    const stats = await client.errors.getErrorStats({ projectId: project.id, errorId }, client.auth);
    assert.is(
      stats.counts.reduce((sum, count) => sum + count, 0),
      eventCount,
      `stats of ${error.title}`,
    );
    for (const id of ids) {
      assert.not.ok(seen.has(id), `${id} is there twice`);
      seen.add(id);
    }
  }
  client?.close();
  const lost = [...ledger.acknowledged].filter((id) => !seen.has(id));
  const unknown = [...seen].filter((id) => !ledger.sent.has(id));
  assert.equal({ lost, unknown }, { lost: [], unknown: [] });
});

test("an independent recount of the database by SQL agrees", async () => {
  assert.is(await server.stop(), 0);
  using database = new DatabaseSync(join(server.dataDir, "faultline.db"), { readOnly: true });
  const rows = (sql: string) => database.prepare(sql).all();
  assert.equal(
    rows("PRAGMA integrity_check").map((row) => ({ ...row })),
    [{ integrity_check: "ok" }],
  );
  assert.equal(rows("PRAGMA foreign_key_check"), []);
  const wrongCounts = rows(`
    SELECT * FROM (
      SELECT error.id, error.event_count, error.user_count,
        (SELECT count(*) FROM integrated_event WHERE error_id = error.id) AS events,
        (SELECT count(DISTINCT event_id) FROM integrated_event WHERE error_id = error.id) AS ids,
        (SELECT sum(event_count) FROM integrated_hour WHERE error_id = error.id) AS hours,
        (SELECT count(*) FROM integrated_user WHERE error_id = error.id) AS users,
        (SELECT count(DISTINCT user) FROM integrated_event WHERE error_id = error.id) AS event_users,
        (SELECT min(occurred_at) FROM integrated_event WHERE error_id = error.id) - first_seen_at AS first_off,
        (SELECT max(occurred_at) FROM integrated_event WHERE error_id = error.id) - last_seen_at AS last_off
      FROM integrated_error error)
    WHERE event_count <> events OR ids <> events OR hours <> events OR user_count <> users OR users <> event_users
      OR first_off <> 0 OR last_off <> 0`);
  assert.equal(wrongCounts, []);
  const withoutPayload = rows(`
    SELECT event.id FROM integrated_event event FULL JOIN integrated_payload payload ON payload.event_row_id = event.id
    WHERE event.id IS NULL OR payload.event_row_id IS NULL`);
  assert.equal(withoutPayload, []);
  const stored = new Set(rows("SELECT lower(hex(event_id)) AS id FROM integrated_event").map(({ id }) => String(id)));
  assert.equal(
    [...ledger.acknowledged].filter((id) => !stored.has(id)),
    [],
  );
});

test.run();
