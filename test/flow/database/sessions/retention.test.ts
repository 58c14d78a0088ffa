import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { Backend, SessionStatus } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../../backend/src/main.ts";
import { grpcClient, type GrpcClient } from "../../../support/core/grpc.ts";
import { passTime, testPace } from "../../../support/service/movable-faultline.ts";
import { envelope, newEventId, sendEnvelope } from "../../../support/sentry/send.ts";
import { countOf, recountOf } from "../../../support/database/stored-rows.ts";
import { tempDir } from "../../../support/service/temp-dir.ts";
import { testConfig } from "../../../support/service/test-config.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const firstNoon = Date.UTC(2026, 0, 10, 12);
const { OK, EXITED, CRASHED } = SessionStatus;

const clock = { at: firstNoon, now: () => clock.at };
const dataDir = tempDir();
const config = testConfig(dataDir);

/** Runs the service so many days after the first noon; a stop waits for retention, which runs at the start. */
async function onDay<Result>(
  days: number,
  work: (client: GrpcClient, server: { url: string }) => Promise<Result>,
): Promise<Result> {
  const time = firstNoon + days * dayMs;
  if (time > clock.at) await passTime(config, clock, time);
  clock.at = time;
  const faultline = await startFaultline(config, clock, { pace: testPace });
  const client = grpcClient(faultline);
  try {
    return await work(client, { url: faultline.httpUrl });
  } finally {
    client.close();
    await faultline.stop();
  }
}

const retention = () => Promise.resolve();

type Item = Parameters<typeof envelope>[1];
const many = <T>(count: number, make: () => T) => Array.from({ length: count }, make);

let projectId: number;

interface Sent {
  readonly id?: string;
  readonly release?: string;
  readonly user?: string;
  readonly status?: SessionStatus;
  readonly ageMs?: number;
}

function report({ ingest, auth }: GrpcClient, ...sessions: Sent[]) {
  const updates = sessions.map(({ id = newEventId(), release = "old", user = "", status = EXITED, ageMs = 0 }) => ({
    projectId,
    sessionId: id,
    release,
    environment: "prod",
    userDigest: user,
    status,
    sequence: status === OK ? 0n : 1n,
    startedTime: timestampFromMs(clock.at - ageMs),
  }));
  return ingest.reportSessions({ updates }, auth);
}

/** The releases of the last 90 days as name, sessions, users, and days since the first noon of the first session. */
async function listed({ releases, auth }: GrpcClient) {
  const { releases: found } = await releases.listReleases({ projectId, hourCount: 2160 }, auth);
  return found.map(({ version, sessions, userCount, firstSessionTime }) => [
    version,
    sessions?.total,
    userCount,
    firstSessionTime && (timestampMs(firstSessionTime) - firstNoon) / dayMs,
  ]);
}

const rows = (table: string) => countOf(dataDir, table);

/** Sessions of different users. Retention needs several transactions for them. */
const users = (name: string, length: number) => Array.from({ length }, (_, n) => ({ user: `${name} ${n}` }));

test("a session can be ended as long as its updates are taken, and is forgotten after; its counters stay", async () => {
  const id = newEventId();
  await onDay(0, async (client) => {
    const { project } = await client.projects.createProject({ path: "shop" }, client.auth);
    projectId = project?.projectId ?? 0;
    await client.settings.updateSettings({ projectId, active: true, backend: Backend.INTEGRATED }, client.auth);
    await report(client, ...users("user", 900));
    await report(client, ...users("other", 300).map((one) => ({ ...one, release: "many" })));
    await report(client, { id, status: OK, release: "late" });
  });
  await onDay(4.9, async (client) => {
    await report(client, { id, status: CRASHED, release: "late", ageMs: 4.9 * dayMs });
    const { releases } = await client.releases.listReleases({ projectId }, client.auth);
    assert.equal(releases.find(({ version }) => version === "late")?.sessions?.crashed, 1);
  });
  await onDay(5.9, retention);
  assert.is(await rows("integrated_session"), 1_201);
  await onDay(6.1, retention);
  assert.is(await rows("integrated_session"), 0);
  await onDay(6.1, async (client) => {
    assert.equal(await listed(client), [
      ["old", 900, 900, 0],
      ["many", 300, 300, 0],
      ["late", 1, 0, 0],
    ]);
  });
});

test("all hours and users are counted for 90 days", async () => {
  await onDay(45, (client) => report(client, { user: "user 1" }, { user: "new", release: "new" }));
  await onDay(90, retention);
  await onDay(89.9, async (client) => {
    assert.equal(await listed(client), [
      ["new", 1, 1, 45],
      ["old", 901, 900, 0],
      ["many", 300, 300, 0],
      ["late", 1, 0, 0],
    ]);
  });
  assert.equal(await recountOf(dataDir), []);
});

test("after 91 days they are gone, and with its last hour a release; one that lives on begins later", async () => {
  await onDay(91, retention);
  assert.equal(
    [await rows("integrated_release"), await rows("integrated_session_hour"), await rows("integrated_session_user")],
    [2, 2, 2],
  );
  await onDay(91, async (client) => {
    assert.equal(await listed(client), [
      ["old", 1, 1, 45],
      ["new", 1, 1, 45],
    ]);
  });
  assert.equal(await recountOf(dataDir), []);
});

test("a release that comes back is counted again", async () => {
  await onDay(91, (client) => report(client, { release: "late", user: "ann" }));
  await onDay(91, async (client) => assert.equal((await listed(client))[0], ["late", 1, 1, 91]));
  assert.equal(await recountOf(dataDir), []);
});

test("feedback is kept for 90 days, whether its event is still to come, stored or deleted", async () => {
  const [eventId, lateEventId] = [newEventId(), newEventId()];
  const event = (id: string): Item => [{ type: "event" }, { event_id: id, message: "boom" }];
  const written = (about: string): Item => [{ type: "user_report" }, { event_id: about, comments: newEventId() }];
  const send = (days: number, ...items: Item[]) =>
    onDay(days, async (client, server) => {
      const { clientKeys } = await client.clientKeys.listClientKeys({ projectId }, client.auth);
      const target = { id: projectId, key: clientKeys[0]?.publicKey ?? "" };
      while (items.length > 0) {
        const text = envelope(undefined, ...items.splice(0, 200)); // as many as an envelope may hold
        assert.is((await sendEnvelope(server, target, text)).status, 200);
      }
    });
  const feedback = () => rows("integrated_feedback");
  await send(100, event(eventId), written(eventId), written(lateEventId), ...many(1200, () => written(newEventId())));
  await onDay(100 + 3 / 24, retention);
  assert.is(await feedback(), 1202);
  await send(145, event(lateEventId), written(eventId));
  await send(145, written(newEventId()));
  await onDay(190, retention);
  assert.is(await feedback(), 1204);
  await onDay(191, retention);
  assert.is(await feedback(), 2);
  await onDay(191, async (client) => {
    const { feedback: found } = await client.errors.listFeedback({ projectId }, client.auth);
    assert.equal(
      found.map(({ eventId: about, hasEvent, errorTitle }) => [about === eventId, hasEvent, errorTitle]),
      [
        [false, false, ""],
        [true, false, "boom"], // its error has a later event
      ],
    );
  });
  await onDay(236, retention);
  assert.is(await feedback(), 0);
});

test("a year later nothing is left", async () => {
  await onDay(500, retention);
  for (const table of ["release", "session", "session_hour", "session_user"])
    assert.is(await rows(`integrated_${table}`), 0);
});

test.run();
