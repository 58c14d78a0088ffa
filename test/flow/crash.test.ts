// limit: 240 s
// alone: kills under load
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
import { recount, recountSessions } from "../support/recount.ts";
import { envelope, newEventId, sentryAuth } from "../support/send.ts";
import { startServer, type Server } from "../support/server.ts";
import { storedErrors, storedEventIds } from "../support/stored.ts";

/** `npm run test:crash` does a thousand. */
const cycles = Number(process.env["CRASH_CYCLES"] ?? 20);
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

const hasSession = (id: string) => Number.parseInt(id.slice(8, 10), 16) % 4 === 0;

/** An event, or an envelope of an event and a session, which are stored together or not at all. */
function requestOf(server: Server, project: Project, id: string): LoadRequest {
  const event = {
    event_id: id,
    exception: { values: [{ type: `Error${groupOf(id)}`, value: `number ${id}` }] },
    user: { id: userOf(id) },
    tags: { region: "eu-west" },
    release: "shop@1.2.3",
    extra: { padding: id.repeat(20) },
  };
  const session = {
    sid: id,
    did: userOf(id),
    started: new Date().toISOString(),
    status: "exited",
    attrs: { release: "shop@1.2.3" },
  };
  const [door, body] = hasSession(id)
    ? ["envelope", envelope(id, [{ type: "event" }, event], [{ type: "session" }, session])]
    : ["store", JSON.stringify(event)];
  const head =
    `POST /api/${project.id}/${door}/ HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\n` +
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

test("an independent recount of the database by SQL agrees, and each session is there with its event", async () => {
  assert.is(await server.stop(), 0);
  using database = new DatabaseSync(join(server.dataDir, "faultline.db"), { readOnly: true });
  const rows = (sql: string) => database.prepare(sql).all();
  assert.equal(
    rows("PRAGMA integrity_check").map((row) => ({ ...row })),
    [{ integrity_check: "ok" }],
  );
  assert.equal(rows("PRAGMA foreign_key_check"), []);
  assert.equal([...recount(database), ...recountSessions(database)], []);
  const wrongTimes = rows(`
    SELECT error.id FROM integrated_error error JOIN integrated_event event ON event.error_id = error.id
    GROUP BY error.id HAVING min(occurred_at) <> first_seen_at OR max(occurred_at) <> last_seen_at`);
  assert.equal(wrongTimes, []);
  const stored = new Set(rows("SELECT lower(hex(event_id)) AS id FROM integrated_event").map(({ id }) => String(id)));
  assert.equal(
    [...ledger.acknowledged].filter((id) => !stored.has(id)),
    [],
  );
  const sessions = new Set(
    rows("SELECT lower(hex(session_id)) AS id FROM integrated_session").map(({ id }) => String(id)),
  );
  assert.ok(sessions.size > cycles, "too few sessions to prove anything");
  assert.equal(sessions, new Set([...stored].filter(hasSession)));
});

test.run();
