import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { runningServer } from "../../support/service/flow.ts";
import { http } from "../../support/http/http.ts";
import { createProject } from "../../support/core/project.ts";
import { rejects } from "../../support/assert/rejects.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { storedErrors, storedEventIds } from "../../support/database/stored.ts";
import { until } from "../../support/run/until.ts";

const { server, client } = await runningServer();
const project = await createProject(server);

const event = (message: string) => ({ event_id: newEventId(), message });
const readiness = async () => (await http(`${server.url}/-/readiness`)).status;

/** Takes the write lock of the server's database as another program would; the returned function gives it back. */
function takeDatabase(): () => void {
  const database = new DatabaseSync(join(server.dataDir, "faultline.db"));
  database.exec("PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE");
  return () => database.close();
}

async function whileDatabaseIsTaken(work: () => Promise<void>): Promise<void> {
  const giveBack = takeDatabase();
  await work().finally(giveBack);
}

test("an event that cannot be stored is answered 503 with Retry-After, and a retry stores it once", async () => {
  assert.is((await sendEvent(server, project, event("before"))).status, 200);
  const refusedEvents = Array.from({ length: 5 }, () => event("refused at first"));
  await whileDatabaseIsTaken(async () => {
    const refusals = await Promise.all(refusedEvents.map((refused) => sendEvent(server, project, refused)));
    for (const refusal of refusals) {
      assert.is(refusal.status, 503, refusal.text);
      assert.match(String(refusal.headers["retry-after"]), /^[1-9]\d*$/);
      assert.is(refusal.headers["access-control-allow-origin"], "*");
      assert.type((refusal.json as { detail?: unknown }).detail, "string");
    }
  });

  for (const refused of refusedEvents)
    await until("the retry to be stored", async () => (await sendEvent(server, project, refused)).status === 200);
  const errors = await storedErrors(client, project.id);
  assert.equal(errors.map(({ title, eventCount }) => `${title} ${eventCount}`).toSorted(), [
    "before 1",
    "refused at first 5",
  ]);
});

test("readiness reports a refused event, reading still works, and everything recovers by itself", async () => {
  assert.is(await readiness(), 200);
  await whileDatabaseIsTaken(async () => {
    assert.is((await sendEvent(server, project, event("refused"))).status, 503);
    assert.is(await readiness(), 503);
    assert.is((await http(`${server.url}/-/health`)).status, 200);
    assert.ok((await storedErrors(client, project.id)).length > 0);
  });
  await until("readiness 200", async () => (await readiness()) === 200);
  assert.is((await sendEvent(server, project, event("after"))).status, 200);
});

// Kysely 0.29 forgets the connection of a transaction that cannot begin, and the service has one to write with.
test("a change that finds the database taken is refused, and changes and events go through afterwards", async () => {
  const createKey = () => client.clientKeys.createClientKey({ projectId: project.id }, client.auth);
  await whileDatabaseIsTaken(async () => {
    await Promise.all([rejects(createKey(), "UNAVAILABLE"), rejects(createKey(), "UNAVAILABLE")]);
  });
  assert.ok((await createKey()).clientKey);
  assert.is((await sendEvent(server, project, event("after changes"))).status, 200);
});

test("of events sent while the database is taken away, the acknowledged ones are stored and the refused ones not twice", async () => {
  const events = Array.from({ length: 24 }, () => event("around the lock"));
  const acknowledged = new Set<string>();
  const stored = async () => {
    const error = (await storedErrors(client, project.id)).find(({ title }) => title === "around the lock");
    return error ? await storedEventIds(client, project.id, error.errorId) : [];
  };
  /** Sends what is not acknowledged, eight at a time. */
  const sendRest = async () => {
    const waiting = events.filter(({ event_id }) => !acknowledged.has(event_id));
    const lane = async () => {
      for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
        const { status } = await sendEvent(server, project, one);
        assert.ok(status === 200 || status === 503, `${status}`);
        if (status === 200) acknowledged.add(one.event_id);
        if (acknowledged.size === 10) giveBack ??= takeDatabase();
      }
    };
    await Promise.all(Array.from({ length: 8 }, lane));
  };
  let giveBack: (() => void) | undefined;
  try {
    await sendRest();
  } finally {
    giveBack?.();
  }
  assert.ok(acknowledged.size < events.length, "the lock refused nothing");
  const early = new Set(await stored());
  assert.equal(
    [...acknowledged].filter((id) => !early.has(id)),
    [],
  );
  await until("all retries to be stored", async () => {
    await sendRest();
    return acknowledged.size === events.length;
  });
  assert.equal((await stored()).toSorted(), events.map(({ event_id }) => event_id).toSorted());
});

test.run();
