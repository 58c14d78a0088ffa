import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import {
  ErrorReason,
  type GetSessionStatsRequestSchema,
  type ListReleasesRequestSchema,
  SessionStatus,
  type SessionAggregateSchema,
  type SessionUpdateSchema,
} from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sharedServer } from "../../../support/service/flow.ts";
import { createProject, type Project } from "../../../support/core/project.ts";
import { rejects } from "../../../support/assert/rejects.ts";
import { newEventId } from "../../../support/sentry/send.ts";

const hourMs = 3_600_000;
const { OK, EXITED, ERRORED, UNHANDLED, ABNORMAL, CRASHED } = SessionStatus;

const { server, client } = await sharedServer();
let project: Project;
let now: number;

test.before.each(async () => {
  project = await createProject(server);
  now = Date.now();
});

type Update = Exclude<MessageInitShape<typeof SessionUpdateSchema>, { $typeName: string }>;
type Aggregate = MessageInitShape<typeof SessionAggregateSchema>;

const release = "shop@1.2.3";

/** An update of a new session that continues. */
function update(fields: Update = {}): Update {
  const startedTime = timestampFromMs(now);
  return { projectId: project.id, sessionId: newEventId(), release, environment: "prod", startedTime, ...fields };
}

/** The same session at other times. */
function session(fields: Update = {}): (more: Update) => Update {
  const first = update(fields);
  return (more) => ({ ...first, ...more });
}

const report = (...updates: Update[]) => client.ingest.reportSessions({ updates }, client.auth);

const reportCounted = (...aggregates: Aggregate[]) => {
  const common = { projectId: project.id, release, startedTime: timestampFromMs(now) };
  return client.ingest.reportSessions({ aggregates: aggregates.map((one) => ({ ...common, ...one })) }, client.auth);
};

type List = MessageInitShape<typeof ListReleasesRequestSchema>;
type Stats = MessageInitShape<typeof GetSessionStatsRequestSchema>;
const list = (fields: List = {}) => client.releases.listReleases({ projectId: project.id, ...fields }, client.auth);
const stats = (fields: Stats = {}) =>
  client.releases.getSessionStats({ projectId: project.id, ...fields }, client.auth);

/** The sessions of the last days as [healthy, errored, crashed, abnormal], which must agree with the total. */
async function counts(fields: Stats = {}): Promise<number[]> {
  const { hours } = await stats({ hourCount: 168, ...fields });
  const sum = [0, 0, 0, 0];
  for (const { total, healthy, errored, crashed, abnormal } of hours) {
    assert.is(total, healthy + errored + crashed + abnormal);
    [healthy, errored, crashed, abnormal].forEach((count, n) => (sum[n] = (sum[n] ?? 0) + count));
  }
  return sum;
}

test("a session counts when the call returns, and is healthy while nothing else is reported", async () => {
  await report(update());
  assert.equal(await counts(), [1, 0, 0, 0]);
});

test("an update that is sent again changes nothing", async () => {
  const sent = [update({ status: CRASHED, errorCount: 1, userDigest: "ann" }), update({ userDigest: "ann" })];
  for (let time = 0; time < 3; time++) await report(...sent, ...sent);
  assert.equal(await counts(), [1, 0, 1, 0]);
  const [found] = (await list()).releases;
  assert.equal([found?.userCount, found?.crashedUserCount], [1, 1]);
});

test("an end without a beginning counts once", async () => {
  await report(update({ status: CRASHED, sequence: 7n, errorCount: 1 }));
  assert.equal(await counts(), [0, 0, 1, 0]);
});

const ends: [SessionStatus, errors: number, found: number[]][] = [
  [EXITED, 0, [1, 0, 0, 0]],
  [EXITED, 2, [0, 1, 0, 0]],
  [OK, 1, [0, 1, 0, 0]],
  [ERRORED, 0, [0, 1, 0, 0]],
  [UNHANDLED, 1, [0, 1, 0, 0]],
  [CRASHED, 1, [0, 0, 1, 0]],
  [ABNORMAL, 3, [0, 0, 0, 1]],
];
for (const [status, errorCount, found] of ends) {
  test(`status ${status} with ${errorCount} errors counts as ${found.join(" ")}`, async () => {
    const at = session();
    await report(at({ sequence: 0n }));
    await report(at({ sequence: 1n, status, errorCount }));
    assert.equal(await counts(), found);
  });
}

test("a late update does not undo an end: neither an older end nor a newer update without one", async () => {
  const at = session();
  await report(at({ status: CRASHED, sequence: 5n }));
  await report(at({ status: EXITED, sequence: 4n }));
  await report(at({ status: OK, sequence: 9n }));
  assert.equal(await counts(), [0, 0, 1, 0]);
});

test("of two ends the higher sequence wins, then the later time, then the graver status", async () => {
  const at = session({ sequence: 5n, updatedTime: timestampFromMs(now) });
  await report(at({ status: CRASHED }));
  await report(at({ status: EXITED }));
  assert.equal(await counts(), [0, 0, 1, 0]);
  await report(at({ status: ABNORMAL, updatedTime: timestampFromMs(now + 1) }));
  assert.equal(await counts(), [0, 0, 0, 1]);
  await report(at({ status: EXITED, sequence: 6n, updatedTime: timestampFromMs(now - 1) }));
  assert.equal(await counts(), [1, 0, 0, 0]);
});

test("the number of errors never falls", async () => {
  const at = session();
  await report(at({ sequence: 1n, errorCount: 2 }));
  await report(at({ sequence: 2n, errorCount: 0, status: EXITED }));
  assert.equal(await counts(), [0, 1, 0, 0]);
});

test("in whatever order and batches updates come, the result is the same", async () => {
  const permutations = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ];
  for (const [n, order] of permutations.entries()) {
    const at = session({ release: `shop@${n}` });
    const updates = [
      at({ sequence: 0n }),
      at({ sequence: 1n, errorCount: 1 }),
      at({ sequence: 2n, status: CRASHED, errorCount: 1 }),
    ];
    const sent = order.flatMap((index) => updates[index] ?? []);
    if (n % 2 === 0) await report(...sent);
    else for (const one of sent) await report(one);
    assert.equal(await counts({ version: `shop@${n}` }), [0, 0, 1, 0]);
  }
});

test("release, environment and start come from the first stored update", async () => {
  const at = session({ startedTime: timestampFromMs(now - 2 * hourMs) });
  await report(at({ sequence: 5n }), at({ sequence: 6n, release: "other", environment: "other" }));
  await report(at({ sequence: 7n, release: "another", startedTime: timestampFromMs(now - hourMs), status: CRASHED }));
  const { releases, environments } = await list();
  assert.equal(
    releases.map(({ version }) => version),
    [release],
  );
  assert.equal(environments, ["prod"]);
  const { hours } = await stats({ hourCount: 3 });
  assert.equal(
    hours.map(({ crashed }) => crashed),
    [1, 0, 0],
  );
});

test("a user who was missing is added, with the crash; one who is known stays", async () => {
  const at = session();
  await report(at({ status: CRASHED, sequence: 5n }));
  assert.equal(
    (await list()).releases.map(({ userCount }) => userCount),
    [0],
  );
  await report(at({ userDigest: "ann" }));
  await report(at({ userDigest: "bob", sequence: 9n, status: CRASHED }));
  const [found] = (await list()).releases;
  assert.equal([found?.userCount, found?.crashedUserCount, found?.crashFreeUsers], [1, 1, 0]);
});

test("a user whose crash turns out not to be one is free of crashes", async () => {
  const at = session({ userDigest: "ann" });
  await report(at({ status: CRASHED, sequence: 1n }));
  await report(at({ status: EXITED, sequence: 2n }));
  const [found] = (await list()).releases;
  assert.equal([found?.crashedUserCount, found?.crashFreeUsers, found?.crashFreeSessions], [0, 100, 100]);
});

test("the same session id in two projects is two sessions", async () => {
  const other = await createProject(server);
  const one = update();
  await report(one, { ...one, projectId: other.id, status: CRASHED });
  assert.equal(await counts(), [1, 0, 0, 0]);
  assert.equal(await counts({ projectId: other.id }), [0, 0, 1, 0]);
});

test("counted sessions are added up, with their user", async () => {
  await reportCounted(
    { exited: 3, errored: 2, unhandled: 1, abnormal: 4, crashed: 5 },
    { exited: 1, crashed: 1, userDigest: "ann" },
    { exited: 1, userDigest: "bob" },
  );
  await report(update({ userDigest: "bob", environment: "" }));
  assert.equal(await counts(), [6, 3, 6, 4]);
  const [found] = (await list()).releases;
  assert.equal([found?.userCount, found?.crashedUserCount, found?.crashFreeUsers], [2, 1, 50]);
});

test("counted sessions that are none leave no trace", async () => {
  await reportCounted({});
  assert.equal(await list(), { ...(await list()), releases: [], environments: [], nextPageToken: "" });
});

test("absurd numbers are shown as the largest there is", async () => {
  for (let time = 0; time < 2; time++) await reportCounted({ exited: 4_000_000_000, crashed: 1 });
  const { hours } = await stats({ hourCount: 1 });
  assert.equal([hours[0]?.total, hours[0]?.crashed], [2 ** 32 - 1, 2]);
});

test("the crash-free share counts sessions, and users if sessions name them", async () => {
  await report(update({ status: CRASHED }), update(), update(), update({ status: ABNORMAL, errorCount: 1 }));
  const [anonymous] = (await list()).releases;
  assert.equal([anonymous?.crashFreeSessions, anonymous?.crashFreeUsers], [75, undefined]);
  await report(...["ann", "ann", "bob", "eve"].map((userDigest) => update({ userDigest })));
  await report(update({ userDigest: "eve", status: CRASHED }));
  const [named] = (await list()).releases;
  assert.equal([named?.userCount, named?.crashedUserCount], [3, 1]);
  assert.ok(Math.abs((named?.crashFreeUsers ?? 0) - 200 / 3) < 1e-9);
});

test("a user of several environments and days is one user", async () => {
  const startedTime = timestampFromMs(now - 30 * hourMs);
  await report(
    update({ userDigest: "ann", environment: "staging" }),
    update({ userDigest: "ann", startedTime, status: CRASHED }),
    update({ userDigest: "ann" }),
  );
  assert.equal(
    (await list()).releases.map(({ userCount }) => userCount),
    [1],
  );
  assert.equal(
    (await list({ environment: "staging" })).releases.map(({ crashedUserCount }) => crashedUserCount),
    [0],
  );
});

test("an environment is asked for by its name; the empty one are the sessions that name none", async () => {
  await report(update(), update({ environment: "staging", release: "shop@2" }), update({ environment: "" }));
  const versions = async (environment?: string) =>
    (await list(environment === undefined ? {} : { environment })).releases.map(({ version }) => version).toSorted();
  assert.equal(await versions(), [release, "shop@2"]);
  assert.equal(await versions("staging"), ["shop@2"]);
  assert.equal(await versions(""), [release]);
  assert.equal(await versions("Staging"), []);
  assert.equal(await counts(), [3, 0, 0, 0]);
  assert.equal(await counts({ environment: "" }), [1, 0, 0, 0]);
  assert.equal(await counts({ environment: "staging", version: release }), [0, 0, 0, 0]);
  assert.equal((await list({ environment: "staging" })).environments, ["", "prod", "staging"]);
});

test("releases come by their first session, newest first, page by page", async () => {
  const agesOf: Record<string, number[]> = { a: [3], b: [50, 0], c: [2, 1], d: [3, 40], e: [3], old: [60] };
  for (const [version, ages] of Object.entries(agesOf)) {
    for (const age of ages)
      await report(update({ release: version, startedTime: timestampFromMs(now - age * hourMs) }));
  }
  const { releases } = await list({ hourCount: 24 });
  assert.equal(
    releases.map(({ version }) => version),
    ["c", "e", "a", "d", "b"],
  );
  const [b] = releases.slice(-1);
  const hourOf = (age: number) => Math.floor(now / hourMs - age) * hourMs;
  assert.is(b?.firstSessionTime && timestampMs(b.firstSessionTime), hourOf(50));
  assert.is(b?.lastSessionTime && timestampMs(b.lastSessionTime), hourOf(0));
  assert.is(b?.sessions?.total, 1);

  const found: string[] = [];
  let pageToken = "";
  do {
    const page = await list({ hourCount: 24, pageSize: 2, pageToken });
    found.push(...page.releases.map(({ version }) => version));
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  assert.equal(found, ["c", "e", "a", "d", "b"]);
});

test("a page token of another list, and a window of more than 90 days, are refused", async () => {
  await report(update(), update({ release: "shop@2" }));
  const { nextPageToken } = await list({ pageSize: 1 });
  const refusal = await rejects(
    list({ pageSize: 1, pageToken: nextPageToken, environment: "prod" }),
    "INVALID_ARGUMENT",
  );
  assert.is(refusal.reason, ErrorReason.INVALID_PAGE_TOKEN);
  for (const call of [list, stats]) {
    assert.is((await rejects(call({ hourCount: 2161 }), "INVALID_ARGUMENT")).field, "hour_count");
    await call({ hourCount: 2160 });
  }
});

test("hours are dense, end with the running one, and begin where one asks", async () => {
  await report(update(), update({ startedTime: timestampFromMs(now - 2 * hourMs), status: CRASHED }));
  const { hours, startTime, lastHourRunning } = await stats();
  assert.equal([hours.length, lastHourRunning], [24, true]);
  assert.is(startTime && timestampMs(startTime), Math.floor(now / hourMs - 23) * hourMs);
  assert.equal(
    hours.slice(-3).map(({ total }) => total),
    [1, 0, 1],
  );

  const past = await stats({ startTime: timestampFromMs(now - 2 * hourMs), hourCount: 2 });
  assert.equal([past.hours.map(({ crashed }) => crashed), past.lastHourRunning], [[1, 0], false]);
});

test("1,000 updates and 1,000 counted sessions a call are stored", async () => {
  const one = { projectId: project.id, release, startedTime: timestampFromMs(now), exited: 1 };
  const updates = Array.from({ length: 1_000 }, () => update({ status: EXITED }));
  await client.ingest.reportSessions({ updates, aggregates: Array.from({ length: 1_000 }, () => one) }, client.auth);
  assert.equal(await counts(), [2_000, 0, 0, 0]);
});

test.run();
