import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { Backend, BulkUpdateState, DeletionState, ErrorStatus, Role, SessionStatus } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../backend/src/main.ts";
import { databaseOf } from "../../support/database/database-of.ts";
import { grpcClient } from "../../support/core/grpc.ts";
import { refusedBecause } from "../../support/assert/refused-because.ts";
import { envelope, newEventId, sendEnvelope, sendEvent, type Target } from "../../support/sentry/send.ts";
import { addGroupingRows } from "../../support/database/add-grouping-rows.ts";
import { execSql } from "../../support/database/other-process.ts";
import { countOf, recountOf, rowsOf } from "../../support/database/stored-rows.ts";
import { storedErrors, storedEventCount } from "../../support/database/stored.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";
import { until } from "../../support/run/until.ts";
import { makePerson, makeProject } from "../../flow/database/members/people.ts";

const dayMs = 86_400_000;
const clock = { at: Date.UTC(2026, 0, 10, 12), now: () => clock.at };
const config = testConfig(tempDir());
let faultline = await startFaultline(config, clock);
let client = grpcClient(faultline);

async function stop(): Promise<void> {
  client.close();
  await faultline.stop();
}

/** The jobs run at the start, and the stop waits for them, but not for the removal of many projects. */
async function runJobs(): Promise<void> {
  for (let time = 0; time < 2; time += 1) {
    await stop();
    faultline = await startFaultline(config, clock);
    client = grpcClient(faultline);
    await until("deleted projects to be gone", async () => (await dueProjects()) === 0, { deadlineMs: 30_000 });
  }
}

/** Deleted projects that can be restored no more. */
async function dueProjects(): Promise<number> {
  const due = await rowsOf(config.dataDir, `select id from project where deleted_at <= ${clock.at - 7 * dayMs}`);
  return due.length;
}
test.after(stop);

/** A project that takes events. */
async function openProject(path: string): Promise<Target> {
  const id = await makeProject(client, path);
  await client.settings.updateSettings({ projectId: id, active: true, backend: Backend.INTEGRATED }, client.auth);
  const { clientKeys } = await client.clientKeys.listClientKeys({ projectId: id }, client.auth);
  return { id, key: clientKeys[0]?.publicKey ?? "" };
}

const send = (project: Target) =>
  sendEvent({ url: faultline.httpUrl }, project, { event_id: newEventId(), message: "boom" });
const remove = (projectId: number, auth = client.auth) => client.projects.deleteProject({ projectId }, auth);
const restore = (projectId: number) => client.projects.restoreProject({ projectId }, client.auth);
const read = (projectId: number, auth = client.auth) =>
  client.projects.getProject({ key: { case: "projectId", value: projectId } }, auth);
const deleted = async () => (await client.projects.listDeletedProjects({}, client.auth)).projects;

test("a deleted project is found by nobody, takes no events from then on, and its path is free", async () => {
  const bob = await makePerson(client, "bob");
  const project = await openProject("shop");
  await client.members.addMember({ projectId: project.id, userId: bob.userId, role: Role.OWNER }, client.auth);
  assert.is((await send(project)).status, 200);

  const answer = (await remove(project.id, bob.auth)).project;
  assert.is((await send(project)).status, 403);
  assert.is(answer?.path, "shop");
  assert.is(answer?.removalTime && timestampMs(answer.removalTime), clock.at + 7 * dayMs);
  for (const auth of [bob.auth, client.auth]) {
    await refusedBecause("PROJECT_NOT_FOUND", read(project.id, auth));
    for (const path of ["shop", `~deleted-${project.id}`]) {
      const byPath = client.projects.getProject({ key: { case: "path", value: path } }, auth);
      await refusedBecause("PROJECT_NOT_FOUND", byPath);
    }
    await refusedBecause("PROJECT_NOT_FOUND", client.errors.listErrors({ projectId: project.id }, auth));
    await refusedBecause("PROJECT_NOT_FOUND", client.members.listMembers({ projectId: project.id }, auth));
    await refusedBecause("PROJECT_NOT_FOUND", remove(project.id, auth));
    assert.is((await client.projects.listProjects({}, auth)).totalSize, 0);
  }
  const events = [{ projectId: project.id, eventId: newEventId(), message: "boom" }];
  await refusedBecause("PROJECT_NOT_FOUND", client.ingest.reportEvents({ events }, client.auth));
  assert.ok(await makeProject(client, "shop"));
});

test("administrators alone list deleted projects, the first to go first, and restore them with all they held", async () => {
  const ann = await makePerson(client, "ann");
  const project = await openProject("first");
  const { project: own } = await client.projects.createProject({ path: "second" }, ann.auth);
  for (let n = 0; n < 3; n += 1) assert.is((await send(project)).status, 200);
  await remove(project.id);
  clock.at += 1000;
  await remove(own?.projectId ?? 0, ann.auth);
  await refusedBecause("FORBIDDEN", client.projects.listDeletedProjects({}, ann.auth));
  const restored = client.projects.restoreProject({ projectId: own?.projectId ?? 0 }, ann.auth);
  await refusedBecause("FORBIDDEN", restored);
  assert.equal(
    (await deleted()).map(({ path }) => path),
    ["shop", "first", "second"],
  );
  const { project: back } = await restore(project.id);
  assert.equal([back?.path, back?.removalTime], ["first", undefined]);
  assert.is(await storedEventCount(client, project.id), 3);
  assert.is((await send(project)).status, 200);
  await refusedBecause("DELETED_PROJECT_NOT_FOUND", restore(project.id));
  await restore(own?.projectId ?? 0);
  assert.is((await read(own?.projectId ?? 0, ann.auth)).project?.role, Role.OWNER);
});

test("a project is not restored while another has its path", async () => {
  const projectId = await makeProject(client, "taken/Path");
  await remove(projectId);
  const other = await makeProject(client, "TAKEN/path");
  assert.match((await refusedBecause("PROJECT_PATH_TAKEN", restore(projectId))).message, /taken\/Path/);
  await client.projects.updateProject({ projectId: other, path: "moved" }, client.auth);
  assert.is((await restore(projectId)).project?.path, "taken/Path");
});

test("only owners delete, and of many simultaneous deletions one succeeds", async () => {
  const cid = await makePerson(client, "cid");
  const projectId = await makeProject(client, "guarded", [[cid, Role.MAINTAINER]]);
  await refusedBecause("FORBIDDEN", remove(projectId, cid.auth));
  assert.is((await read(projectId, cid.auth)).project?.capabilities?.removeProject?.allowed, false);
  const done = await Promise.allSettled(Array.from({ length: 6 }, () => remove(projectId)));
  assert.is(done.filter(({ status }) => status === "fulfilled").length, 1);
  assert.is((await restore(projectId)).project?.path, "guarded");
});

test("a path given while the project is deleted is not lost to it", async () => {
  for (let round = 0; round < 8; round += 1) {
    const projectId = await makeProject(client, `race/${round}`);
    const rename = () => client.projects.updateProject({ projectId, path: `raced/${round}` }, client.auth);
    const calls = round % 2 === 0 ? [rename(), remove(projectId)] : [remove(projectId), rename()];
    await Promise.allSettled(calls);
    await refusedBecause("PROJECT_NOT_FOUND", read(projectId));
    assert.ok(await makeProject(client, `race/${round}`));
    assert.ok(await makeProject(client, `raced/${round}`));
  }
});

test("lists are answered while projects are being deleted", async () => {
  const ids = await Promise.all(Array.from({ length: 30 }, (_, n) => makeProject(client, `listed/${n}`)));
  const lists = ids.map(() => client.projects.listProjects({ query: "listed/", pageSize: 100 }, client.auth));
  const counts = (await Promise.all([...lists, ...ids.map((id) => remove(id))])).map((answer) =>
    "projects" in answer ? answer.projects.length : 0,
  );
  assert.ok(Math.max(...counts) > 0);
  assert.is((await client.projects.listProjects({ query: "listed/" }, client.auth)).totalSize, 0);
});

test("a watching call ends soon after its project was deleted", async () => {
  const { id: projectId } = await openProject("watched");
  const watch = async () => {
    for await (const { errors } of client.errors.watchErrors({ projectId }, client.auth)) assert.equal(errors, []);
  };
  const watching = refusedBecause("PROJECT_NOT_FOUND", watch());
  await remove(projectId);
  await watching;
});

/** More of each than goes in one slice. */
async function fill({ id: projectId, key }: Target): Promise<void> {
  const startedTime = timestampFromMs(clock.at);
  const events = Array.from({ length: 700 }, (_, n) => ({
    projectId,
    eventId: newEventId(),
    // Most events belong to one error and have a user and a tag. Each other event is a separate error.
    fingerprint: [n < 600 ? "one" : `other ${n % 45}`],
    title: "Boom",
    user: `id:${n}`,
    tags: { shard: `${n}` },
    release: `${n % 30}`,
    payload: Buffer.from(JSON.stringify({ message: "x".repeat(200) })),
  }));
  await client.ingest.reportEvents({ events }, client.auth);
  const risen = { ...events[0], eventId: newEventId(), level: "fatal" };
  await client.ingest.reportEvents({ events: [risen] }, client.auth);
  const updates = Array.from({ length: 900 }, (_, n) => ({
    projectId,
    sessionId: newEventId(),
    release: n < 600 ? "1.0" : `2.${n % 45}`,
    environment: "prod",
    userDigest: `user ${n}`,
    status: SessionStatus.EXITED,
    sequence: 1n,
    startedTime,
  }));
  await client.ingest.reportSessions({ updates }, client.auth);
  assert.is((await send({ id: projectId, key })).status, 200); // its sender's network is counted
  const feedback = { event_id: events[0]?.eventId, name: "Ann", email: "ann@h.example", comments: "It broke." };
  const lost = { discarded_events: [{ reason: "queue_overflow", category: "error", quantity: 3 }] };
  const item = [{ type: "event" }, { event_id: newEventId(), message: "It came with a key." }] as const;
  const text = envelope(undefined, item, [{ type: "user_report" }, feedback], [{ type: "client_report" }, lost]);
  assert.is((await sendEnvelope({ url: faultline.httpUrl }, { id: projectId, key }, text)).status, 200);
  await client.members.createInvitation({ projectId, role: Role.GUEST }, client.auth);
  await discard(projectId);
  await resolveAll(projectId);
  await addGroupingRows(config.dataDir, projectId);
  await sampleOut(projectId);
}

/** Writes that spike protection did not store events of the errors, and of an error that was deleted at that moment. */
function sampleOut(projectId: number): Promise<void> {
  const day = Math.floor(clock.at / dayMs);
  return execSql(
    config.dataDir,
    `insert into integrated_sampled_out select project_id, id, ${day}, 7 from integrated_error where project_id = ${projectId}
      union all values (${projectId}, 1000000000, ${day}, 7)`,
  );
}

/** Lets the service resolve all errors of a project. */
async function resolveAll(projectId: number): Promise<void> {
  const { count: expectedCount } = await client.errors.getErrorCount({ projectId }, client.auth);
  const asked = { projectId, newStatus: ErrorStatus.RESOLVED, expectedCount };
  const { bulkUpdate } = await client.bulkUpdates.createBulkUpdate(asked, client.auth);
  const bulkUpdateId = bulkUpdate?.bulkUpdateId ?? 0;
  await until("the errors to be resolved", async () => {
    const now = await client.bulkUpdates.getBulkUpdate({ projectId, bulkUpdateId }, client.auth);
    return now.bulkUpdate?.state === BulkUpdateState.CHANGED;
  });
  const errors = await storedErrors(client, projectId);
  await until("all activity to be noted", async () => {
    const lists = errors.map(({ errorId }) => client.activity.listErrorActivity({ projectId, errorId }, client.auth));
    return (await Promise.all(lists)).every(({ entries }) => entries[0]?.status === ErrorStatus.RESOLVED);
  });
}

/** Deletes an error and discards its next event. */
async function discard(projectId: number): Promise<void> {
  const payload = Buffer.from("{}");
  const report = () =>
    client.ingest.reportEvents(
      { events: [{ projectId, eventId: newEventId(), fingerprint: ["noise"], title: "Noise", payload }] },
      client.auth,
    );
  await report();
  const [noise] = await storedErrors(client, projectId, "title:Noise");
  const target = { case: "errors" as const, value: { errorIds: [noise?.errorId ?? ""] } };
  const made = await client.deletions.createDeletion(
    { projectId, target, withoutUndo: true, discard: {} },
    client.auth,
  );
  const deletionId = made.deletion?.deletionId ?? 0;
  await until("it to be erased", async () => {
    const { deletion } = await client.deletions.getDeletion({ projectId, deletionId }, client.auth);
    return deletion?.state === DeletionState.ERASED;
  });
  await report();
  const { discards } = await client.deletions.listDiscards({ projectId }, client.auth);
  assert.equal([discards[0]?.stoppedCount, discards[0]?.samples.length], [1n, 1]);
}

/** The names of tables, or of tables with the named column. Partitions count as their table. */
async function tableNames(column?: string): Promise<string[]> {
  const withColumn = column === undefined ? "" : `and exists (select 1 from`;
  const sql =
    databaseOf(config.dataDir) === undefined
      ? `select name from sqlite_schema m where type = 'table' and name not like 'sqlite_%'
          ${withColumn && `${withColumn} pragma_table_info(m.name) c where c.name = '${column}')`}`
      : `select relname as name from pg_class m
          where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
          ${withColumn && `${withColumn} pg_attribute where attrelid = m.oid and attname = '${column}')`}`;
  return (await rowsOf(config.dataDir, sql)).map(({ name }) => String(name)).toSorted();
}

/**
 * The number of rows of each table that belongs to projects. Some rows are left out or added up because they change in
 * the background: states of sessions end after six days; payloads are packed, and counted together wherever they are;
 * errors of a deletion disappear when it ends; bulk updates go a week after their end; changes of errors wait a second
 * for the plugins that take them, and notifications follow a moment later; dropped days are subtracted from the
 * counters soon; receipts belong to a queue, which does not exist here. Work on the search index comes and goes, and
 * the tables of FTS5 are counted by the table that it offers.
 */
async function rowCounts(): Promise<Readonly<Record<string, number>>> {
  const apart =
    /^(audit_event|error_change|session|notifier_\w+|integrated_(session|block|packed|expired|receipt|deletion_error|bulk_update\w*|search\w*|uncounted\w*|untagged)|invitation)$/;
  const names = await tableNames();
  const each = names.map((name) => `select '${name}' as name, count(*) as n from ${name}`);
  const rows = await rowsOf(config.dataDir, each.join(" union all "));
  const counts = Object.fromEntries(rows.map(({ name, n }) => [String(name), Number(n)]));
  const { integrated_payload = 0, integrated_packed = 0, ...others } = counts;
  const kept = Object.entries(others).filter(([name]) => !apart.test(name));
  return { ...Object.fromEntries(kept), integrated_payload: integrated_payload + integrated_packed };
}

test("after seven days a deleted project is gone for good, with every row of it and no other", async () => {
  clock.at += 8 * dayMs; // what the tests above have deleted goes first
  const kept = await openProject("kept");
  await fill(kept);
  await runJobs();
  const before = await rowCounts();
  const keptErrors = (await storedErrors(client, kept.id)).length;
  assert.ok(keptErrors > 40);

  const doomed = await openProject("doomed");
  await fill(doomed);
  await runJobs();
  const full = await rowCounts();
  for (const [table, n] of Object.entries(full)) {
    const isFilled =
      /^(project|settings|client_key\w*|member|outcome|daily_intake|event_hour|activity_entry|integrated_\w+)$/.test(
        table,
      );
    assert.is(n !== before[table], isFilled, `${table} has ${String(n)} rows`);
  }
  await remove(doomed.id);
  await runJobs();
  assert.equal(await rowCounts(), full);

  clock.at += 7 * dayMs - 1;
  await runJobs();
  assert.equal(await rowCounts(), full);
  assert.ok((await deleted()).some(({ projectId }) => projectId === doomed.id));
  clock.at += 1;
  assert.not.ok((await deleted()).some(({ projectId }) => projectId === doomed.id));
  await refusedBecause("DELETED_PROJECT_NOT_FOUND", restore(doomed.id));
  await runJobs();
  assert.equal(await rowCounts(), before);
  await until("plugins to take the last changes", async () => (await countOf(config.dataDir, "error_change")) === 0);
  const owned = (await tableNames("project_id")).filter((table) => table !== "audit_event");
  assert.ok(owned.length >= 8);
  for (const table of owned) {
    assert.equal(await rowsOf(config.dataDir, `select * from ${table} where project_id = ${doomed.id}`), [], table);
  }
  assert.equal(await recountOf(config.dataDir), []);
  assert.is((await storedErrors(client, kept.id)).length, keptErrors);
  assert.is((await send(kept)).status, 200);
});

test("a deleted project that is removed now is gone with all its rows within seconds, and the others stay", async () => {
  const [gone, stays] = [await openProject("gone"), await openProject("stays")];
  for (const project of [gone, gone, stays]) assert.is((await send(project)).status, 200);
  await refusedBecause(
    "DELETED_PROJECT_NOT_FOUND",
    client.projects.removeDeletedProject({ projectId: gone.id }, client.auth),
  );
  await remove(gone.id);
  const { project } = await client.projects.removeDeletedProject({ projectId: gone.id }, client.auth);
  assert.equal([project?.path, project?.removalTime && timestampMs(project.removalTime)], ["gone", clock.at]);
  await refusedBecause("DELETED_PROJECT_NOT_FOUND", restore(gone.id));
  await until("its row to go", async () => (await countOf(config.dataDir, `project where id = ${gone.id}`)) === 0, {
    deadlineMs: 30_000,
  });
  for (const table of ["error", "event"]) {
    assert.is(await countOf(config.dataDir, `integrated_${table} where project_id = ${gone.id}`), 0);
  }
  assert.is(await storedEventCount(client, stays.id), 1);
  assert.equal(await recountOf(config.dataDir), []);
});

test.run();
