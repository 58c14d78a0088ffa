import { test } from "uvu";
import * as assert from "uvu/assert";
import { sharedServer } from "../../support/service/flow.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { newEventId, sendEvent, sendStore } from "../../support/sentry/send.ts";
import { storedErrors, storedEventIds } from "../../support/database/stored.ts";

const { server, client } = await sharedServer();
let project: Project;

test.before.each(async () => {
  project = await createProject(server);
});

async function assertStoredOnce(eventId: string): Promise<void> {
  const [error, ...others] = await storedErrors(client, project.id);
  assert.equal(others, []);
  assert.is(error?.eventCount, 1);
  assert.is(error?.affectedUserCount, 1);
  assert.equal(await storedEventIds(client, project.id, error?.errorId ?? ""), [eventId]);
}

test("an event sent twice, to both endpoints, is stored and counted once", async () => {
  const event = { event_id: newEventId(), message: "once", user: { id: "1" } };
  for (const send of [sendStore, sendEvent, sendStore]) {
    const answer = await send(server, project, event);
    assert.is(answer.status, 200, answer.text);
    assert.equal(answer.json, { id: event.event_id });
  }
  await assertStoredOnce(event.event_id);
});

test("an event that is sent 20 times simultaneously is stored and counted once, and each sender gets 200", async () => {
  const event = { event_id: newEventId(), message: "at once", user: { id: "1" } };
  const answers = await Promise.all(Array.from({ length: 20 }, () => sendEvent(server, project, event)));
  assert.equal(
    answers.map(({ status }) => status),
    answers.map(() => 200),
  );
  await assertStoredOnce(event.event_id);
});

test("an event id with hyphens and capitals is the same id", async () => {
  const eventId = newEventId();
  const hyphenated = eventId.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5").toUpperCase();
  for (const id of [eventId, hyphenated]) {
    const answer = await sendStore(server, project, { event_id: id, message: "spelled", user: { id: "1" } });
    assert.equal(answer.json, { id: eventId });
  }
  await assertStoredOnce(eventId);
});

test("the first sending of an id wins, even if a later one has another text", async () => {
  const eventId = newEventId();
  for (const message of ["first", "second"])
    assert.is((await sendStore(server, project, { event_id: eventId, message, user: { id: "1" } })).status, 200);
  await assertStoredOnce(eventId);
  const { event } = await client.errors.getEvent({ projectId: project.id, eventId }, client.auth);
  assert.is(event?.message, "first");
});

test("the same id in another project is another event", async () => {
  const other = await createProject(server);
  const event = { event_id: newEventId(), message: "twin", user: { id: "1" } };
  for (const target of [project, other]) assert.is((await sendEvent(server, target, event)).status, 200);
  await assertStoredOnce(event.event_id);
  const { event: twin } = await client.errors.getEvent({ projectId: other.id, eventId: event.event_id }, client.auth);
  assert.is(twin?.projectId, other.id);
});

test("100 simultaneous events of a new error make one error with count 100", async () => {
  const events = Array.from({ length: 100 }, (_, index) => ({
    event_id: newEventId(),
    exception: { values: [{ type: "Burst", value: "all together" }] },
    user: { id: `${index % 10}` },
  }));
  const answers = await Promise.all(events.map((event) => sendEvent(server, project, event)));
  assert.ok(answers.every(({ status }) => status === 200));
  const [error, ...others] = await storedErrors(client, project.id);
  assert.equal(others, []);
  assert.is(error?.eventCount, 100);
  assert.is(error?.affectedUserCount, 10);
  const ids = await storedEventIds(client, project.id, error?.errorId ?? "");
  assert.equal(ids.toSorted(), events.map(({ event_id }) => event_id).toSorted());
});

test.run();
