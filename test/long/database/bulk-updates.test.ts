// quiet: changes thousands of errors within the limits of reads
import { BulkUpdateState, ErrorStatus, Role, type BulkUpdate } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { refusedBecause } from "../../support/assert/refused-because.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { newMember } from "../../support/core/person.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { storeErrors } from "../../support/database/many-errors.ts";
import { execSql, rowsOf } from "../../support/database/other-process.ts";
import { reported } from "../../support/run/reported.ts";
import { until } from "../../support/run/until.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { startServer, type Server } from "../../support/service/server.ts";

/** The service sets the status of all errors that match, whether or not anyone waits for it. */

const { UNSPECIFIED, UNRESOLVED, RESOLVED, IGNORED } = ErrorStatus;
const { CHANGING, CHANGED, STOPPED, UNDONE } = BulkUpdateState;
const sliceErrors = 1_000;

let server: Server;
let client: GrpcClient;
let project: Project;

test.before(
  reported(async () => {
    server = await startServer();
    client = grpcClient(server);
  }),
);
test.before.each(async () => {
  project = await createProject(server);
});
test.after(async () => {
  client?.close();
  await server?.stop();
});

async function report(message: string): Promise<void> {
  const event = { event_id: newEventId(), message, fingerprint: [message] };
  assert.is((await sendEvent(server, project, event)).status, 200);
}

const count = async (status: ErrorStatus, query = "") =>
  (await client.errors.getErrorCount({ projectId: project.id, status, query }, client.auth)).count;
const counts = () => Promise.all([count(UNRESOLVED), count(RESOLVED), count(IGNORED)]);

interface Asked {
  readonly query?: string;
  readonly status?: ErrorStatus;
  readonly newStatus: ErrorStatus;
  readonly expectedCount: number;
  readonly lastErrorId?: string;
}

const asks = (asked: Asked, by = client.auth) =>
  client.bulkUpdates.createBulkUpdate({ projectId: project.id, ...asked }, by);

async function made(answer: Promise<{ bulkUpdate?: BulkUpdate | undefined }>): Promise<BulkUpdate> {
  const { bulkUpdate } = await answer;
  assert.ok(bulkUpdate);
  return bulkUpdate;
}

const named = ({ projectId, bulkUpdateId }: BulkUpdate) => ({ projectId, bulkUpdateId });
const read = (update: BulkUpdate) => made(client.bulkUpdates.getBulkUpdate(named(update), client.auth));
const undo = (update: BulkUpdate, by = client.auth) => made(client.bulkUpdates.undoBulkUpdate(named(update), by));

const becomes = (update: BulkUpdate, state: BulkUpdateState) =>
  until(
    `the bulk update to be in the state ${state}`,
    async () => {
      const now = await read(update);
      return now.state === state && now;
    },
    { deadlineMs: 30_000 },
  );

test("a call without a number, status or right, or with a wrong number, is refused and changes nothing", async () => {
  await storeErrors(server, project.id, { count: 20 });
  await refusedBecause("INVALID_FIELD", asks({ newStatus: RESOLVED, expectedCount: 0 }));
  await refusedBecause("INVALID_FIELD", asks({ newStatus: UNSPECIFIED, expectedCount: 20 }));
  await refusedBecause("INVALID_FIELD", asks({ status: RESOLVED, newStatus: RESOLVED, expectedCount: 20 }));
  await refusedBecause("INVALID_FIELD", asks({ query: '"open', newStatus: RESOLVED, expectedCount: 20 }));
  await refusedBecause("EXPECTED_COUNT_DIFFERS", asks({ newStatus: RESOLVED, expectedCount: 23 }));
  await refusedBecause("EXPECTED_COUNT_DIFFERS", asks({ newStatus: RESOLVED, expectedCount: 17 }));
  const reporter = await newMember(client, project.id, Role.REPORTER);
  await refusedBecause("FORBIDDEN", asks({ newStatus: RESOLVED, expectedCount: 20 }, reporter));
  const missing = { projectId: project.id, bulkUpdateId: 1_000_000 };
  await refusedBecause("BULK_UPDATE_NOT_FOUND", client.bulkUpdates.getBulkUpdate(missing, client.auth));
  await refusedBecause("BULK_UPDATE_NOT_FOUND", client.bulkUpdates.stopBulkUpdate(missing, client.auth));
  await refusedBecause("BULK_UPDATE_NOT_FOUND", client.bulkUpdates.undoBulkUpdate(missing, client.auth));
  assert.equal(await counts(), [20, 0, 0]);

  const update = await made(asks({ newStatus: RESOLVED, expectedCount: 19 }));
  assert.equal([update.state, update.foundCount, update.changedCount], [CHANGED, 20, 20], "within 10 %");
  await refusedBecause("FORBIDDEN", client.bulkUpdates.undoBulkUpdate(named(update), reporter));
  await refusedBecause("FORBIDDEN", client.bulkUpdates.stopBulkUpdate(named(update), reporter));
  const elsewhere = { ...named(update), projectId: (await createProject(server)).id };
  await refusedBecause("BULK_UPDATE_NOT_FOUND", client.bulkUpdates.undoBulkUpdate(elsewhere, client.auth));
});

test("only matching errors are changed, none newer than the count, under the name of the person who asked", async () => {
  const developer = await newMember(client, project.id, Role.DEVELOPER);
  for (const message of ["Timeout 1", "Timeout 2", "Other"]) await report(message);
  const { lastErrorId, count: found } = await client.errors.getErrorCount(
    { projectId: project.id, query: "timeout" },
    client.auth,
  );
  await report("Timeout 3");
  const readAt = (await client.errors.listErrors({ projectId: project.id }, client.auth)).errors.length;
  assert.is(readAt, 4);
  const asked = { query: "timeout", newStatus: RESOLVED, expectedCount: found, lastErrorId };
  const update = await made(asks(asked, developer));
  assert.equal([update.state, update.changedCount, update.leftCount], [CHANGED, 2, 0]);
  assert.ok(update.createdBy !== "root" && update.createdBy !== "", update.createdBy);
  assert.ok(update.finishedTime);
  assert.equal(await counts(), [2, 2, 0]);

  const { bulkUpdates } = await client.bulkUpdates.listBulkUpdates({ projectId: project.id }, developer);
  assert.equal(
    bulkUpdates.map(({ bulkUpdateId }) => bulkUpdateId),
    [update.bulkUpdateId],
  );
  const { bulkUpdates: running } = await client.bulkUpdates.listBulkUpdates(
    { projectId: project.id, running: true },
    developer,
  );
  assert.equal(running, []);
  const { auditEvents } = await client.audit.listAuditEvents({ projectId: project.id }, client.auth);
  const sentence = auditEvents.find(({ summary }) => summary.includes("all that match"))?.summary;
  assert.is(sentence, `Set the status of 2 errors, all that match "timeout", to Resolved (${update.bulkUpdateId}).`);
});

test("after a kill the next process continues: each error is changed once, and errors changed meanwhile are left", async () => {
  const errorCount = 6_000;
  await storeErrors(server, project.id, { count: errorCount });
  const update = await made(asks({ newStatus: RESOLVED, expectedCount: errorCount }));
  await server.kill9();
  assert.equal([update.state, update.foundCount], [CHANGING, errorCount]);
  const [row] = await rowsOf(
    server.dataDir,
    `select changed_count from integrated_bulk_update where id = ${update.bulkUpdateId}`,
  );
  assert.ok(Number(row?.["changed_count"]) < errorCount, "it was killed in the middle");
  // Somebody changed one error of the rest and one is gone.
  const open = `select id from integrated_error where project_id = ${project.id} and status = ${UNRESOLVED} order by id`;
  const [ignored, gone] = (await rowsOf(server.dataDir, `${open} desc limit 2`)).map(({ id }) => String(id));
  await execSql(
    server.dataDir,
    `update integrated_error set status = ${IGNORED}, status_changed_at = ${Date.now() + 1} where id = ${ignored}`,
  );
  await execSql(server.dataDir, `delete from integrated_error where id = ${gone}`);

  client.close();
  server = await startServer({ dataDir: server.dataDir });
  client = grpcClient(server);
  const done = await becomes(update, CHANGED);
  assert.equal([done.changedCount, done.leftCount], [errorCount - 2, 2]);
  const { leftErrors } = await client.bulkUpdates.getBulkUpdate(named(update), client.auth);
  assert.equal(
    new Set(leftErrors.map(({ errorId, deleted }) => `${errorId} ${deleted}`)),
    new Set([`${ignored} false`, `${gone} true`]),
  );
  assert.equal(await counts(), [0, errorCount - 2, 1]);
  const [once] = await rowsOf(
    server.dataDir,
    `select count(*) as n from integrated_bulk_update_slice where bulk_update_id = ${update.bulkUpdateId} and changed_at is not null`,
  );
  assert.is(Number(once?.["n"]), errorCount / sliceErrors);

  const undone = await undo(update);
  await server.kill9();
  assert.is(undone.state, BulkUpdateState.UNDOING);
  client.close();
  server = await startServer({ dataDir: server.dataDir });
  client = grpcClient(server);
  const restored = await becomes(update, UNDONE);
  assert.equal([restored.restoredCount, restored.keptCount, restored.undoneBy], [errorCount - 2, 0, "root"]);
  assert.equal(await counts(), [errorCount - 2, 0, 1]);
});

test("the undo gives each error its status back, except errors that somebody changed or an event reopened since", async () => {
  const errorCount = 2_500;
  await storeErrors(server, project.id, { count: errorCount });
  await report("Comes again");
  const ignored = await made(asks({ query: "21", newStatus: IGNORED, expectedCount: await count(UNRESOLVED, "21") }));
  assert.ok(ignored.changedCount > 10);
  const update = await made(asks({ newStatus: RESOLVED, expectedCount: errorCount + 1 }));
  await becomes(update, CHANGED);
  await report("Comes again");
  const { errors } = await client.errors.listErrors(
    { projectId: project.id, status: RESOLVED, query: "!21", pageSize: 1 },
    client.auth,
  );
  const changes = errors.map(({ errorId }) => ({ errorId, status: IGNORED }));
  await client.errors.updateErrors({ projectId: project.id, changes }, client.auth);

  await undo(update);
  const undone = await becomes(update, UNDONE);
  assert.equal([undone.restoredCount, undone.keptCount], [errorCount - 1, 2]);
  assert.equal(await counts(), [errorCount - ignored.changedCount, 0, ignored.changedCount + 1]);
  await refusedBecause("UNDO_OVER", undo(update));
});

test("one that is stopped keeps what it has changed, and is undone", async () => {
  const errorCount = 8_000;
  await storeErrors(server, project.id, { count: errorCount });
  const update = await made(asks({ newStatus: RESOLVED, expectedCount: errorCount }));
  const { bulkUpdates: running } = await client.bulkUpdates.listBulkUpdates(
    { projectId: project.id, running: true },
    client.auth,
  );
  assert.equal(
    running.map(({ bulkUpdateId }) => bulkUpdateId),
    [update.bulkUpdateId],
  );
  const stopped = await made(client.bulkUpdates.stopBulkUpdate(named(update), client.auth));
  assert.is(stopped.state, STOPPED);
  const { changedCount } = stopped;
  assert.ok(changedCount >= sliceErrors && changedCount < errorCount, `${changedCount}`);
  assert.equal(await counts(), [errorCount - changedCount, changedCount, 0]);
  const again = await made(client.bulkUpdates.stopBulkUpdate(named(update), client.auth));
  assert.equal([again.state, again.changedCount], [STOPPED, changedCount], "it has not gone on");

  await undo(update);
  assert.is((await becomes(update, UNDONE)).restoredCount, changedCount);
  assert.equal(await counts(), [errorCount, 0, 0]);

  // The undo of one under way stops it.
  const next = await made(asks({ newStatus: RESOLVED, expectedCount: errorCount }));
  await undo(next);
  const undone = await becomes(next, UNDONE);
  assert.is(undone.restoredCount, undone.changedCount);
  assert.equal(await counts(), [errorCount, 0, 0]);

  const other = await newMember(client, project.id, Role.DEVELOPER); // one person may make five in a minute
  const asksToo = (asked: Asked) => asks(asked, { token: other.token });
  const three = [];
  for (const newStatus of [RESOLVED, IGNORED, RESOLVED]) {
    three.push(await made(asksToo({ status: UNRESOLVED, newStatus, expectedCount: await count(UNRESOLVED) })));
  }
  await refusedBecause(
    "LIMIT_REACHED",
    asksToo({ status: UNRESOLVED, newStatus: IGNORED, expectedCount: await count(UNRESOLVED) }),
  );
  for (const one of three) await client.bulkUpdates.stopBulkUpdate(named(one), client.auth);
  for (const one of three) await undo(one);
  for (const one of three) await becomes(one, UNDONE);
  assert.equal(await counts(), [errorCount, 0, 0]);
});

test.run();
