import { timestampMs } from "@bufbuild/protobuf/wkt";
import { Backend, DeletionState, ErrorStatus, Role, type Deletion } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { movableFaultline } from "../../../support/service/movable-faultline.ts";
import { refusedBecause } from "../../../support/assert/refused-because.ts";
import { newEventId, sendEvent, type Target } from "../../../support/sentry/send.ts";
import { countOf, recountOf } from "../../../support/database/stored-rows.ts";
import { storedErrors } from "../../../support/database/stored.ts";
import { tempDir } from "../../../support/service/temp-dir.ts";
import { testConfig } from "../../../support/service/test-config.ts";
import { until } from "../../../support/run/until.ts";
import { makePerson } from "../members/people.ts";

const dataDir = tempDir();
const { client, faultline, clock } = await movableFaultline(testConfig(dataDir));
const minuteMs = 60_000;

async function newProject(path: string): Promise<Target> {
  const { project } = await client.projects.createProject({ path }, client.auth);
  const id = project?.projectId ?? 0;
  await client.settings.updateSettings({ projectId: id, active: true, backend: Backend.INTEGRATED }, client.auth);
  const { clientKeys } = await client.clientKeys.listClientKeys({ projectId: id }, client.auth);
  return { id, key: clientKeys[0]?.publicKey ?? "" };
}

/** Sends an event of the error of that name; its id. */
async function send(project: Target, name: string, fields: object = {}): Promise<string> {
  const event = {
    event_id: newEventId(),
    message: name,
    fingerprint: [name],
    user: { id: "ann" },
    tags: { shard: "1" },
  };
  const answer = await sendEvent({ url: faultline.httpUrl }, project, { ...event, release: "web@1.0.0", ...fields });
  assert.is(answer.status, 200, answer.text);
  return event.event_id;
}

async function idOf(project: Target, title: string): Promise<string> {
  const found = (await storedErrors(client, project.id)).find((error) => error.title === title);
  assert.ok(found, `${title} is not listed`);
  return found.errorId;
}

const titles = async (project: Target) => (await storedErrors(client, project.id)).map(({ title }) => title).toSorted();

/** Deletes errors by their titles. */
async function remove(project: Target, ...named: string[]): Promise<Deletion> {
  const errorIds = await Promise.all(named.map((title) => idOf(project, title)));
  return made(
    client.deletions.createDeletion(
      { projectId: project.id, target: { case: "errors", value: { errorIds } } },
      client.auth,
    ),
  );
}

const matching = (project: Target, query: string, expectedCount: number, status = ErrorStatus.UNSPECIFIED) =>
  client.deletions.createDeletion(
    { projectId: project.id, target: { case: "matching", value: { query, status, expectedCount } } },
    client.auth,
  );

async function made(answer: Promise<{ deletion?: Deletion | undefined }>): Promise<Deletion> {
  const { deletion } = await answer;
  assert.ok(deletion);
  return deletion;
}

const undo = ({ projectId, deletionId }: Deletion) =>
  made(client.deletions.undoDeletion({ projectId, deletionId }, client.auth));

const stateOf = ({ projectId, deletionId }: Deletion) =>
  made(client.deletions.getDeletion({ projectId, deletionId }, client.auth));

const becomes = (deletion: Deletion, state: DeletionState) =>
  until(
    `the deletion to be in the state ${state}`,
    async () => {
      const now = await stateOf(deletion);
      return now.state === state && now;
    },
    { deadlineMs: 30_000 },
  );

test("a deleted error disappears immediately from lists, counts, search and every page", async () => {
  const project = await newProject("gone");
  const eventId = await send(project, "gone");
  await send(project, "stays");
  const errorId = await idOf(project, "gone");
  const deletion = await remove(project, "gone");
  assert.is(deletion.state, DeletionState.HIDDEN);
  assert.equal([deletion.foundCount, deletion.deletedCount, deletion.eventCount], [1, 1, 1n]);
  assert.equal([deletion.title, deletion.createdBy], ["gone", "root"]);
  assert.is(deletion.undoEndTime && timestampMs(deletion.undoEndTime), clock.at + 10 * minuteMs);

  const projectId = project.id;
  const { errors, statusCounts } = await client.errors.listErrors({ projectId }, client.auth);
  assert.equal(
    errors.map(({ title }) => title),
    ["stays"],
  );
  assert.is(statusCounts?.unresolved, 1);
  assert.equal((await client.errors.listErrors({ projectId, query: "gone" }, client.auth)).errors, []);
  const named = { projectId, errorId };
  await refusedBecause("ERROR_NOT_FOUND", client.errors.getError(named, client.auth));
  await refusedBecause("ERROR_NOT_FOUND", client.errors.listEvents(named, client.auth));
  await refusedBecause("ERROR_NOT_FOUND", client.errors.getErrorStats(named, client.auth));
  await refusedBecause("ERROR_NOT_FOUND", client.errors.getEvent(named, client.auth));
  await refusedBecause("EVENT_NOT_FOUND", client.errors.getEvent({ projectId, eventId }, client.auth));
  await refusedBecause("ERROR_NOT_FOUND", client.errors.getErrorProject({ errorId }, client.auth));
  const changes = [{ errorId, status: ErrorStatus.RESOLVED }];
  const updated = await client.errors.updateErrors({ projectId, changes }, client.auth);
  assert.equal([updated.errors, updated.undo], [[], []]);
  await refusedBecause(
    "ERROR_NOT_FOUND",
    client.deletions.createDeletion(
      { projectId, target: { case: "errors", value: { errorIds: [errorId] } } },
      client.auth,
    ),
  );
  const stats = await client.instance.getHealth({}, client.auth);
  assert.ok(stats);
});

test("an open list hears of it, and of the undo", async () => {
  const project = await newProject("watched");
  await send(project, "watched");
  const ended = new AbortController();
  const heard: boolean[] = [];
  const watching = (async () => {
    const watch = client.errors.watchErrors({ projectId: project.id }, { ...client.auth, signal: ended.signal });
    for await (const { more } of watch) heard.push(more);
  })();
  await until("the watch to run", async () => {
    await send(project, "watched");
    return heard.length > 0;
  });
  heard.length = 0;
  const deletion = await remove(project, "watched");
  await until("the list to be read again", () => heard.includes(true));
  heard.length = 0;
  await undo(deletion);
  await until("the list to be read again after the undo", () => heard.includes(true));
  ended.abort();
  await watching;
});

test("an event that arrives meanwhile begins a new error, and the undo names the new error", async () => {
  const project = await newProject("undone");
  for (const name of ["a", "b", "c"]) await send(project, name);
  await client.errors.updateErrors(
    { projectId: project.id, changes: [{ errorId: await idOf(project, "c"), status: ErrorStatus.IGNORED }] },
    client.auth,
  );
  const before = await storedErrors(client, project.id);
  const deletion = await remove(project, "a", "b", "c");
  assert.equal(await titles(project), []);
  await send(project, "b", { user: { id: "ann" } });
  const [fresh] = await storedErrors(client, project.id);
  assert.equal([fresh?.title, fresh?.eventCount, fresh?.affectedUserCount], ["b", 1, 1]);
  assert.equal(await recountOf(dataDir), []);

  const undone = await undo(deletion);
  assert.equal([undone.state, undone.restoredCount, undone.supersededCount], [DeletionState.RESTORED, 3, 1]);
  assert.equal(await titles(project), ["a", "b", "b", "c"]);
  for (const { errorId, status } of before) {
    const { error } = await client.errors.getError({ projectId: project.id, errorId }, client.auth);
    assert.is(error?.status, status);
  }
  await send(project, "a");
  await send(project, "b");
  const counts = (await storedErrors(client, project.id)).map(({ errorId, eventCount }) => [errorId, eventCount]);
  const beforeB = before.find(({ title }) => title === "b");
  const beforeA = before.find(({ title }) => title === "a");
  assert.equal(new Map(counts as [string, number][]).get(beforeA?.errorId ?? ""), 2, "its events come to it again");
  assert.equal(new Map(counts as [string, number][]).get(beforeB?.errorId ?? ""), 1, "the newer one has them");
  assert.equal(new Map(counts as [string, number][]).get(fresh?.errorId ?? ""), 2);
  await refusedBecause("UNDO_OVER", undo(deletion));
  assert.equal(await recountOf(dataDir), []);
});

test("all that match go with their number, and nothing goes without it", async () => {
  const project = await newProject("matching");
  for (let n = 0; n < 20; n += 1) await send(project, `noise ${n}`, { environment: "staging" });
  await send(project, "real");
  const all = await titles(project);
  const projectId = project.id;

  const tooMany = await refusedBecause("EXPECTED_COUNT_DIFFERS", matching(project, "environment:staging", 17));
  assert.match(tooMany.message, /^20 errors match now, but 17 were expected, so nothing was deleted\./);
  await refusedBecause("EXPECTED_COUNT_DIFFERS", matching(project, "environment:staging", 23));
  await refusedBecause("EXPECTED_COUNT_DIFFERS", matching(project, "environment:nowhere", 1));
  const missing = await refusedBecause("INVALID_FIELD", matching(project, "environment:staging", 0));
  assert.is(missing.field, "matching.expected_count");
  for (const errorIds of [[], ["1", "1"], Array.from({ length: 1001 }, (_, n) => `${n + 1}`)]) {
    const target = { case: "errors", value: { errorIds } } as const;
    await refusedBecause("INVALID_FIELD", client.deletions.createDeletion({ projectId, target }, client.auth));
  }
  await refusedBecause("INVALID_FIELD", client.deletions.createDeletion({ projectId }, client.auth));
  assert.equal(await titles(project), all);
  assert.equal((await client.deletions.listDeletions({ projectId }, client.auth)).deletions, []);

  const deletion = await made(matching(project, "environment:staging", 19));
  assert.equal([deletion.state, deletion.foundCount, deletion.deletedCount], [DeletionState.HIDDEN, 20, 20]);
  assert.equal(await titles(project), ["real"]);
  const { deletions } = await client.deletions.listDeletions({ projectId }, client.auth);
  assert.equal(deletions, [deletion]);
  await refusedBecause(
    "DELETION_NOT_FOUND",
    client.deletions.getDeletion({ projectId, deletionId: 9999 }, client.auth),
  );
});

test("after ten minutes it cannot be undone, and nothing of it is left", async () => {
  const project = await newProject("erased");
  const projectId = project.id;
  for (const name of ["a", "a", "b", "stays"]) await send(project, name);
  const tables = ["error", "event", "payload", "packed", "hour", "user", "tag"].filter(
    (name) => name !== "packed" || process.env["TEST_DATABASE"] !== "postgresql",
  );
  const rows = async () =>
    Object.fromEntries(
      await Promise.all(tables.map(async (name) => [name, await countOf(dataDir, `integrated_${name}`)] as const)),
    );
  const other = await newProject("other");
  await send(other, "other");
  const deletion = await remove(project, "a", "b");
  clock.at += 10 * minuteMs - 1;
  assert.is((await stateOf(deletion)).state, DeletionState.HIDDEN);
  const before = await rows();
  clock.at += 1;
  const refusal = await refusedBecause("UNDO_OVER", undo(deletion));
  assert.match(refusal.message, /ten minutes/);
  const erased = await becomes(deletion, DeletionState.ERASED);
  assert.equal([erased.erasedEventCount, erased.eventCount], [3n, 3n]);
  await refusedBecause("UNDO_OVER", undo(deletion));
  const after = await rows();
  assert.is((before["error"] ?? 0) - (after["error"] ?? 0) >= 2, true);
  assert.is(await countOf(dataDir, `integrated_event where project_id = ${projectId}`), 1);
  assert.is(await countOf(dataDir, `integrated_error where project_id = ${projectId}`), 1);
  assert.is(await countOf(dataDir, `integrated_deletion_error where deletion_id = ${deletion.deletionId}`), 0);
  assert.equal(await recountOf(dataDir), []);
  assert.equal(await titles(project), ["stays"]);
  await send(project, "a");
  assert.equal(await titles(project), ["a", "stays"]);
});

test("nobody without the role deletes, and the acts are in the audit log", async () => {
  const project = await newProject("roles");
  const projectId = project.id;
  await send(project, "kept");
  const errorIds = [await idOf(project, "kept")];
  const target = { case: "errors" as const, value: { errorIds } };
  const dave = await makePerson(client, "dave");
  const mary = await makePerson(client, "mary");
  await refusedBecause("PROJECT_NOT_FOUND", client.deletions.createDeletion({ projectId, target }, dave.auth));
  await client.members.addMember({ projectId, userId: dave.userId, role: Role.DEVELOPER }, client.auth);
  await client.members.addMember({ projectId, userId: mary.userId, role: Role.MAINTAINER }, client.auth);
  const refusal = await refusedBecause("FORBIDDEN", client.deletions.createDeletion({ projectId, target }, dave.auth));
  assert.match(refusal.message, /You need at least the Maintainer role/);
  const capabilities = async (auth: { token: string }) =>
    (await client.projects.getProject({ key: { case: "projectId", value: projectId } }, auth)).project?.capabilities;
  assert.is((await capabilities(dave.auth))?.deleteErrors?.allowed, false);
  assert.is((await capabilities(mary.auth))?.deleteErrors?.allowed, true);
  assert.equal(await titles(project), ["kept"]);
  const deletion = await made(client.deletions.createDeletion({ projectId, target }, mary.auth));
  assert.is(deletion.createdBy, "mary");
  await refusedBecause(
    "FORBIDDEN",
    client.deletions.undoDeletion({ projectId, deletionId: deletion.deletionId }, dave.auth),
  );
  await client.deletions.undoDeletion({ projectId, deletionId: deletion.deletionId }, mary.auth);
  const { auditEvents } = await client.audit.listAuditEvents({ projectId }, client.auth);
  const summaries = auditEvents
    .filter(({ method }) => method.startsWith("DeletionService."))
    .map(({ summary }) => summary);
  assert.equal(summaries, [
    `Undid the deletion ${deletion.deletionId} of "kept".`,
    `Deleted the error "kept" (${deletion.deletionId}).`,
  ]);
});

test.run();
