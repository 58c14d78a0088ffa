import { Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { databaseOf } from "../../support/database/database-of.ts";
import { runningServer } from "../../support/service/flow.ts";
import { execSql, rowsOf } from "../../support/database/other-process.ts";
import { newMember } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { rejects } from "../../support/assert/rejects.ts";
import { envelope, newEventId, sendEnvelope, sendEvent } from "../../support/sentry/send.ts";
import { storedErrors, storedEventCount } from "../../support/database/stored.ts";

const { server, client } = await runningServer();

const event = (value: string) => ({
  event_id: newEventId(),
  exception: { values: [{ type: "Error", value }] },
});

/** A rule that some events break, like a fault of ours or an unexpected value. */
const onPostgresql = databaseOf(server.dataDir) !== undefined;
const poison = onPostgresql
  ? `create function poison() returns trigger language plpgsql
      as $body$ begin raise exception 'poison is not stored'; end $body$;
    create trigger poison before insert on integrated_event
      for each row when (new.title like '%poison%') execute function poison()`
  : `create trigger poison before insert on integrated_event when new.title like '%poison%'
      begin select raise(abort, 'poison is not stored'); end`;
const antidote = onPostgresql ? "drop function poison cascade" : "drop trigger poison";

await execSql(server.dataDir, poison);

test("events that cannot be stored do not prevent others from being stored; they are kept and acknowledged", async () => {
  const project = await createProject(server);
  const sent = Array.from({ length: 60 }, (_, n) => event(n % 10 === 3 ? `poison ${n}` : `fine ${n}`));
  const answers = await Promise.all(sent.map((one) => sendEvent(server, project, one)));
  assert.equal([...new Set(answers.map(({ status }) => status))], [200]);
  assert.is(await storedEventCount(client, project.id), 54);
  const { unstoredEvents } = await client.ingest.listUnstoredEvents({ projectId: project.id }, client.auth);
  assert.equal(
    unstoredEvents.map(({ eventId }) => eventId).toSorted(),
    sent.flatMap((one, n) => (n % 10 === 3 ? one.event_id : [])).toSorted(),
  );
  const counters = await rowsOf(
    server.dataDir,
    `select error_count from integrated_new_error where project_id = ${project.id}`,
  );
  const errors = await storedErrors(client, project.id);
  assert.is(Number(counters[0]?.["error_count"]), errors.length, "what was tried twice made its error once");
  for (const { title, reason } of unstoredEvents) {
    assert.match(title, /^Error: poison \d+$/);
    assert.match(reason, /poison is not stored/);
  }
});

test("the other items of such an event's envelope are stored", async () => {
  const project = await createProject(server);
  const bad = event("poison");
  const session = {
    sid: newEventId(),
    init: true,
    started: new Date().toISOString(),
    status: "exited",
    attrs: { release: "shop@1" },
  };
  const text = envelope(bad.event_id, [{ type: "event" }, bad], [{ type: "session" }, session]);
  assert.is((await sendEnvelope(server, project, text)).status, 200);
  const { releases } = await client.releases.listReleases({ projectId: project.id }, client.auth);
  assert.equal(
    releases.map(({ version, sessions }) => [version, sessions?.total]),
    [["shop@1", 1]],
  );
  const { unstoredEvents } = await client.ingest.listUnstoredEvents({ projectId: project.id }, client.auth);
  assert.is(unstoredEvents.length, 1);
});

test("an event sent again is kept once", async () => {
  const project = await createProject(server);
  const bad = event("poison");
  for (const _ of ["first", "again"]) assert.is((await sendEvent(server, project, bad)).status, 200);
  const { unstoredEvents } = await client.ingest.listUnstoredEvents({ projectId: project.id }, client.auth);
  assert.is(unstoredEvents.length, 1);
});

test("they are tried again on request, and are then stored as if nothing had happened", async () => {
  const project = await createProject(server);
  const [one, other] = [event("poison one"), event("poison other")];
  for (const bad of [one, other]) await sendEvent(server, project, bad);
  const { id: projectId } = project;
  const failed = await client.ingest.replayUnstoredEvents({ projectId }, client.auth);
  assert.equal([failed.storedCount, failed.failedCount], [0, 2]);
  await execSql(server.dataDir, antidote);
  try {
    const { unstoredEvents } = await client.ingest.listUnstoredEvents({ projectId }, client.auth);
    const first = unstoredEvents.find(({ eventId }) => eventId === one.event_id);
    const unstoredEventIds = [first?.unstoredEventId ?? 0];
    assert.is((await client.ingest.replayUnstoredEvents({ projectId, unstoredEventIds }, client.auth)).storedCount, 1);
    assert.equal(
      (await storedErrors(client, projectId)).map(({ title }) => title),
      ["Error: poison one"],
    );
    assert.is((await client.ingest.replayUnstoredEvents({ projectId }, client.auth)).storedCount, 1);
    const got = await client.errors.getEvent({ projectId, eventId: other.event_id }, client.auth);
    assert.is(got.event?.title, "Error: poison other");
    const left = await client.ingest.listUnstoredEvents({ projectId }, client.auth);
    assert.equal(left.unstoredEvents, []);
  } finally {
    await execSql(server.dataDir, poison);
  }
});

test("they can be deleted by a Maintainer, tried by a Developer and seen by a Reporter, only in their project", async () => {
  const project = await createProject(server);
  const { id: projectId } = project;
  await sendEvent(server, project, event("poison"));
  const reporter = await newMember(client, projectId, Role.REPORTER);
  const developer = await newMember(client, projectId, Role.DEVELOPER);
  const maintainer = await newMember(client, projectId, Role.MAINTAINER);
  const { unstoredEvents } = await client.ingest.listUnstoredEvents({ projectId }, reporter);
  const unstoredEventIds = unstoredEvents.map(({ unstoredEventId }) => unstoredEventId);
  await rejects(client.ingest.replayUnstoredEvents({ projectId }, reporter), "PERMISSION_DENIED");
  await client.ingest.replayUnstoredEvents({ projectId }, developer);
  await rejects(client.ingest.deleteUnstoredEvents({ projectId }, developer), "PERMISSION_DENIED");
  const elsewhere = await createProject(server);
  const other = { projectId: elsewhere.id, unstoredEventIds };
  assert.is((await client.ingest.deleteUnstoredEvents(other, client.auth)).deletedCount, 0);
  assert.is((await client.ingest.deleteUnstoredEvents({ projectId, unstoredEventIds }, maintainer)).deletedCount, 1);
  assert.is((await client.ingest.deleteUnstoredEvents({ projectId }, maintainer)).deletedCount, 0);
});

test.run();
