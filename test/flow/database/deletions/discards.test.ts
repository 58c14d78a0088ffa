import { Backend, DeletionState, OutcomeKind, type Deletion, type Discard } from "@faultline/proto";
import { timestamp } from "@faultline/plugin";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../../backend/src/main.ts";
import { grpcClient, type GrpcClient } from "../../../support/core/grpc.ts";
import { movableClock } from "../../../support/service/movable-faultline.ts";
import { newEventId, sendEvent, type Target } from "../../../support/sentry/send.ts";
import { countOf, recountOf } from "../../../support/database/stored-rows.ts";
import { storedErrors } from "../../../support/database/stored.ts";
import { tempDir } from "../../../support/service/temp-dir.ts";
import { testConfig } from "../../../support/service/test-config.ts";
import { until } from "../../../support/run/until.ts";
import type { Faultline } from "../../../../backend/src/serve.ts";

const hourMs = 3_600_000;
const clock = movableClock();
const config = testConfig(tempDir());
let faultline: Faultline;
let client: GrpcClient;

async function start(): Promise<void> {
  faultline = await startFaultline(config, clock);
  client = grpcClient(faultline);
}

async function stop(): Promise<void> {
  client.close();
  await faultline.stop();
}

await start();
test.after(stop);

async function newProject(path: string): Promise<Target> {
  const { project } = await client.projects.createProject({ path }, client.auth);
  const id = project?.projectId ?? 0;
  await client.settings.updateSettings({ projectId: id, active: true, backend: Backend.INTEGRATED }, client.auth);
  const { clientKeys } = await client.clientKeys.listClientKeys({ projectId: id }, client.auth);
  return { id, key: clientKeys[0]?.publicKey ?? "" };
}

/** Sends events of the error of that name; the SDK gets the answer of a stored event for each. */
async function send(project: Target, name: string, count = 1, fields: object = {}): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const event = { event_id: newEventId(), message: name, fingerprint: [name], user: { id: "1" }, ...fields };
    const answer = await sendEvent({ url: faultline.httpUrl }, project, event);
    assert.equal([answer.status, answer.json], [200, { id: event.event_id }], answer.text);
  }
}

type End = { case: "eventCount"; value: number } | { case: "release"; value: string } | { case: "time"; value: number };

async function discard(project: Target, name: string, end?: End): Promise<Deletion> {
  const [error] = await storedErrors(client, project.id, `message:${name}`);
  const target = { case: "errors" as const, value: { errorIds: [error?.errorId ?? ""] } };
  const given = end?.case === "time" ? { case: end.case, value: timestamp(end.value) } : end;
  const { deletion } = await client.deletions.createDeletion(
    { projectId: project.id, target, discard: given ? { end: given } : {} },
    client.auth,
  );
  assert.ok(deletion?.discarded);
  return deletion;
}

async function discardOf(project: Target): Promise<Discard> {
  const { discards } = await client.deletions.listDiscards({ projectId: project.id }, client.auth);
  assert.ok(discards[0]);
  return discards[0];
}

/**
 * Waits until erasing ends, because nothing counts rows that are being erased. Time passes meanwhile: the clock was
 * moved while no service ran, and deleted rows wait until that jump is believed, after three days of running.
 */
async function assertCounters(): Promise<void> {
  const { ERASING, HIDDEN } = DeletionState;
  const isErased = async () => {
    // In one query: between two of them a deletion that is due may begin to be erased.
    const left = `integrated_deletion where state = ${ERASING} or state = ${HIDDEN} and undo_until <= ${clock.at}`;
    if ((await countOf(config.dataDir, left)) === 0) return true;
    clock.at += hourMs;
    return false;
  };
  await until("nothing to be erased", isErased, { deadlineMs: 20_000 });
  assert.equal(await recountOf(config.dataDir), []);
}

/** Events that are stored of each error. */
const stored = async ({ id }: Target) =>
  (await storedErrors(client, id)).map(({ title, eventCount }) => `${title} ${eventCount}`).toSorted();

test("events of Other errors can be discarded, and known errors are still stored", async () => {
  const project = await newProject("others");
  await send(project, "real");
  await Promise.all(Array.from({ length: 310 }, (_, n) => send(project, `false ${n}`)));
  const title = '"Other errors"';
  assert.is((await storedErrors(client, project.id, `message:${title}`)).length, 1);
  await discard(project, title);
  await send(project, "one more", 2);
  await send(project, "real");
  assert.is((await discardOf(project)).stoppedCount, 2n);
  assert.equal(await storedErrors(client, project.id, `message:${title}`), []);
  assert.equal(
    (await storedErrors(client, project.id, "message:real")).map(({ eventCount }) => eventCount),
    [2],
  );
});

test("all simultaneous readers see every event that was discarded before", async () => {
  const project = await newProject("at-once");
  await send(project, "noise");
  await discard(project, "noise");
  await send(project, "noise", 5);
  const counts = await Promise.all(Array.from({ length: 8 }, async () => (await discardOf(project)).stoppedCount));
  assert.equal(counts, Array(8).fill(5n));
});

test("events of a discarded group are answered 200, counted by hour and not stored, also after a restart", async () => {
  const project = await newProject("restart");
  await send(project, "noise");
  await send(project, "real");
  await discard(project, "noise");
  await send(project, "noise", 3);
  await send(project, "real");
  assert.equal(await stored(project), ["real 2"]);
  await stop();
  clock.at += 2 * hourMs;
  await start();
  await send(project, "noise", 2);
  const { stoppedCount, hourlyCounts, samples, createdBy, endedTime } = await discardOf(project);
  assert.equal([stoppedCount, createdBy, endedTime], [5n, "root", undefined]);
  assert.equal(hourlyCounts.slice(-3), [3, 0, 2]);
  assert.is(samples.length, 1);
  assert.match(samples[0]?.payload ?? "", /"message":"noise"/);
  assert.equal(await stored(project), ["real 2"]);
  assert.is(
    await countOf(config.dataDir, `integrated_event where project_id = ${project.id}`),
    3,
    "with the hidden one",
  );
  const quantity = await until("the outcome", async () => {
    const { outcomes } = await client.outcomes.listOutcomes({ projectId: project.id }, client.auth);
    const found = outcomes.find(({ kind, reason }) => kind === OutcomeKind.FILTERED && reason === "discarded");
    return found?.quantity === 5n && found.quantity;
  });
  assert.is(quantity, 5n);
  for (let day = 0; day < 4; day += 1) {
    clock.at += 24 * hourMs;
    await send(project, "noise", 2);
    await discardOf(project); // which writes what was counted
  }
  assert.is((await discardOf(project)).samples.length, 3, "the newest of one a day");
  await assertCounters();
});

test("a discard ends after its count, and the next event begins a new error", async () => {
  const project = await newProject("count");
  await send(project, "noise");
  await discard(project, "noise", { case: "eventCount", value: 3 });
  await send(project, "noise", 5);
  assert.equal(await stored(project), ["noise 2"]);
  const { stoppedCount, endedTime } = await until("its end to be written", async () => {
    const found = await discardOf(project);
    return found.endedTime && found;
  });
  assert.is(stoppedCount, 3n);
  assert.ok(endedTime);
});

test("a discard ends at its time", async () => {
  const project = await newProject("time");
  await send(project, "noise");
  await discard(project, "noise", { case: "time", value: clock.at + hourMs });
  await send(project, "noise");
  assert.equal(await stored(project), []);
  clock.at += hourMs;
  await send(project, "noise");
  assert.equal(await stored(project), ["noise 1"]);
});

test("a discard ends with its release or a greater one", async () => {
  const project = await newProject("release");
  await send(project, "noise");
  await discard(project, "noise", { case: "release", value: "web@2.4.0" });
  await send(project, "noise", 1, { release: "web@2.3.9" });
  await send(project, "noise", 1, { release: "api@9.0.0" });
  await send(project, "noise");
  assert.equal(await stored(project), []);
  await send(project, "noise", 1, { release: "web@2.10.0" });
  await send(project, "noise", 1, { release: "web@2.3.9" });
  assert.equal(await stored(project), ["noise 2"]);
});

test("an undo ends the discard of its deletion, and somebody can end it", async () => {
  const project = await newProject("ended");
  await send(project, "noise");
  const deletion = await discard(project, "noise");
  await send(project, "noise", 2);
  const { projectId, deletionId } = deletion;
  await client.deletions.undoDeletion({ projectId, deletionId }, client.auth);
  await send(project, "noise");
  assert.equal(await stored(project), ["noise 2"], "its error is back and gets the events");
  await discard(project, "noise");
  await send(project, "noise");
  const { discardId } = await discardOf(project);
  await client.deletions.endDiscard({ projectId, discardId }, client.auth);
  await send(project, "noise");
  assert.equal(await stored(project), ["noise 1"]);
  assert.is((await discardOf(project)).stoppedCount, 1n);
  const { discards } = await client.deletions.listDiscards({ projectId, pageSize: 1 }, client.auth);
  assert.is(discards.length, 1);
  await assertCounters();
});

test("a project discards 500 groups at most, and what is more is refused whole", async () => {
  const project = await newProject("many");
  const events = Array.from({ length: 501 }, (_, n) => ({
    projectId: project.id,
    eventId: newEventId(),
    fingerprint: [`group ${n}`],
    title: "many",
    payload: Buffer.from("{}"),
  }));
  await client.ingest.reportEvents({ events }, client.auth);
  const remove = (expectedCount: number) =>
    client.deletions.createDeletion(
      { projectId: project.id, target: { case: "matching", value: { expectedCount } }, discard: {} },
      client.auth,
    );
  await remove(501).then(
    () => assert.unreachable(),
    (error: Error) => assert.match(error.message, /at most 500 groups/),
  );
  assert.is((await storedErrors(client, project.id)).length, 501);
});

test.run();
