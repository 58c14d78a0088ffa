import { randomBytes } from "node:crypto";
import { millisecondsOf, timestamp } from "@faultline/plugin";
import { Backend, ErrorReason } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../backend/src/main.ts";
import { databaseOf } from "../../support/database/database-of.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { passTime, testPace } from "../../support/service/movable-faultline.ts";
import { rejects } from "../../support/assert/rejects.ts";
import { newEventId, sendStore, type Target } from "../../support/sentry/send.ts";
import { countOf, recountOf, rowsOf } from "../../support/database/stored-rows.ts";
import { storedErrors, storedEventIds } from "../../support/database/stored.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";
import type { Faultline } from "../../../backend/src/serve.ts";

const dayMs = 86_400_000;
const firstDay = Date.UTC(2026, 0, 10);
const noon = dayMs / 2;

const clock = { at: firstDay, now: () => clock.at };
const dataDir = tempDir();
const config = testConfig(dataDir);

interface Running {
  readonly url: string;
  readonly client: GrpcClient;
}

/** Runs the service at a time. Retention runs at each start, and a stop waits for it. */
async function runAt<Result>(time: number, work: (running: Running) => Promise<Result>): Promise<Result> {
  if (time > clock.at) await passTime(config, clock, time);
  clock.at = time;
  const faultline: Faultline = await startFaultline(config, clock, { pace: testPace });
  const client = grpcClient(faultline);
  try {
    return await work({ url: faultline.httpUrl, client });
  } finally {
    client.close();
    await faultline.stop();
  }
}

const nothing = () => Promise.resolve();

async function createProject({ client }: Running): Promise<Target> {
  const { project } = await client.projects.createProject({ path: "shop" }, client.auth);
  const id = project?.projectId ?? 0;
  await client.settings.updateSettings({ projectId: id, active: true, backend: Backend.INTEGRATED }, client.auth);
  const { clientKeys } = await client.clientKeys.listClientKeys({ projectId: id }, client.auth);
  return { id, key: clientKeys[0]?.publicKey ?? "" };
}

let project: Target;

async function send(
  running: Running,
  message: string,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const answer = await sendStore(running, project, { event_id: newEventId(), message, ...fields });
  assert.is(answer.status, 200, answer.text);
  return (answer.json as { id: string }).id;
}

async function find({ client }: Running, title: string) {
  const error = (await storedErrors(client, project.id)).find((one) => one.title === title);
  assert.ok(error, `${title} is not listed`);
  return error;
}

/** The size of the stored events: pages of the SQLite file, or bytes of their tables on PostgreSQL. */
async function sizeStored(): Promise<number> {
  const size =
    databaseOf(dataDir) === undefined
      ? "page_count as size from pragma_page_count"
      : "sum(pg_total_relation_size(oid)) as size from pg_class where relname ~ '^integrated_(event|payload)_[0-9]+$' and relkind = 'r'";
  const [row] = await rowsOf(dataDir, `select ${size}`);
  return Number(row?.["size"]);
}

/** An event that had happened for as long as an event may have when it was received. */
const happenedAt = firstDay + noon - 90 * dayMs;

/** The bars' count of "old and new" in the hour of that event. */
async function countedThen(running: Running): Promise<number | undefined> {
  const { errorId } = await find(running, "old and new");
  const hour = { startTime: timestamp(happenedAt), hourCount: 1 };
  return (await running.client.errors.getErrorStats({ projectId: project.id, errorId, ...hour }, running.client.auth))
    .counts[0];
}

/** More than retention deletes in one transaction. */
const oldEvents = 620;
/** Makes an event too large for the event loop to read its tags. */
const large = "x".repeat(300 * 1024);
let goneId: string;
let goneEventId: string;
let sizeEmpty: number;
let sizeWithAll: number;

test("every event is kept for 90 days", async () => {
  await runAt(firstDay + noon, async (running) => {
    project = await createProject(running);
    sizeEmpty = await sizeStored();
    const noise = () => randomBytes(1_000).toString("hex"); // nothing that compression could shorten much
    const waiting = Array.from({ length: oldEvents }, (_, n) => ({
      user: { id: `${n % 50}` },
      extra: { noise: noise() },
    }));
    const lane = async () => {
      for (let fields = waiting.pop(); fields; fields = waiting.pop()) {
        goneEventId = await send(running, "old only", { ...fields, tags: { shard: "old" } });
      }
    };
    await Promise.all(Array.from({ length: 16 }, lane));
    for (const id of ["ann", "bob", ""]) {
      const extra = { blob: id === "ann" ? large : "" };
      await send(running, "old and new", { user: { id }, release: "1.0", tags: { shard: "old" }, extra });
    }
    await send(running, "old and new", { user: { id: "zoe" }, timestamp: happenedAt / 1000 });
    const { firstSeenTime } = await find(running, "old and new");
    assert.is(firstSeenTime && millisecondsOf(firstSeenTime), happenedAt);
    goneId = (await find(running, "old only")).errorId;
  });
  await runAt(firstDay + noon + 45 * dayMs, async (running) => {
    for (const id of ["bob", "eve"]) {
      await send(running, "old and new", { user: { id }, release: "2.0", tags: { shard: "new" } });
    }
    await send(running, "new only");
  });
  await runAt(firstDay + noon + 90 * dayMs, nothing);
  await runAt(firstDay + noon + 90 * dayMs, async (running) => {
    assert.is((await find(running, "old only")).eventCount, oldEvents);
    assert.is((await find(running, "old and new")).eventCount, 6);
    assert.is(await countedThen(running), 1, "an event is kept from its receipt on, whenever it happened");
  });
  assert.equal(await recountOf(dataDir), []);
  sizeWithAll = await sizeStored();
});

test("after 91 days an event is gone, and with its last event an error", async () => {
  await runAt(firstDay + noon + 91 * dayMs, nothing);
  await runAt(firstDay + noon + 91 * dayMs, async (running) => {
    const { client } = running;
    const errors = await storedErrors(client, project.id);
    assert.equal(errors.map(({ title }) => title).toSorted(), ["new only", "old and new"]);
    const gone = { projectId: project.id, errorId: goneId };
    assert.is(
      (await rejects(client.errors.getError(gone, client.auth), "NOT_FOUND")).reason,
      ErrorReason.ERROR_NOT_FOUND,
    );
    assert.is(
      (await rejects(client.errors.listEvents(gone, client.auth), "NOT_FOUND")).reason,
      ErrorReason.ERROR_NOT_FOUND,
    );
    const goneEvent = { projectId: project.id, eventId: goneEventId };
    assert.is(
      (await rejects(client.errors.getEvent(goneEvent, client.auth), "NOT_FOUND")).reason,
      ErrorReason.EVENT_NOT_FOUND,
    );
  });
});

test("an error that lives on counts only what is left of it", async () => {
  await runAt(firstDay + noon + 91 * dayMs, async (running) => {
    const { client } = running;
    const error = await find(running, "old and new");
    assert.is(error.eventCount, 2);
    assert.is(error.affectedUserCount, 2);
    assert.is((await storedEventIds(client, project.id, error.errorId)).length, 2);
    assert.is(await countedThen(running), 0);
    const request = { projectId: project.id, errorId: error.errorId, hourCount: 2160 };
    const { counts } = await client.errors.getErrorStats(request, client.auth);
    assert.is(
      counts.reduce((sum, count) => sum + count),
      2,
    );
    const { users, releases, tags } = await client.errors.getErrorBreakdown(request, client.auth);
    assert.equal(
      users.map(({ user, eventCount }) => [user, eventCount]),
      [
        ["id:bob", 1],
        ["id:eve", 1],
      ],
    );
    assert.equal(
      releases.map(({ version, eventCount }) => [version, eventCount]),
      [["2.0", 2]],
    );
    const shards = tags.find(({ key }) => key === "shard")?.values ?? [];
    assert.equal(
      shards.map(({ value, eventCount }) => [value, eventCount]),
      [["new", 2]],
    );
    const search = async (query: string) =>
      (await client.errors.listErrors({ projectId: project.id, query }, client.auth)).errors.length;
    assert.equal([await search("shard:old"), await search("release:1.0"), await search("release:2.0")], [0, 0, 1]);
  });
  assert.equal(await recountOf(dataDir), []);
});

test("the space is given back", async () => {
  const size = await sizeStored();
  assert.ok(size - sizeEmpty < (sizeWithAll - sizeEmpty) / 2, `${size} of ${sizeWithAll}, with no event ${sizeEmpty}`);
  if (databaseOf(dataDir) !== undefined) return; // it has no list of free pages
  assert.is((await rowsOf(dataDir, "pragma freelist_count"))[0]?.["freelist_count"], 0);
});

test("a deleted error comes back as a new error with the next event", async () => {
  await runAt(firstDay + noon + 91 * dayMs, async (running) => {
    await send(running, "old only", { user: { id: "1" } });
    const error = await find(running, "old only");
    assert.is.not(error.errorId, goneId);
    assert.is(error.eventCount, 1);
    assert.is(error.affectedUserCount, 1);
  });
  assert.equal(await recountOf(dataDir), []);
});

test("a year without a start is made up for, and an empty database is nothing to fail at", async () => {
  await runAt(firstDay + 400 * dayMs, nothing);
  await runAt(firstDay + 400 * dayMs, async ({ client }) => assert.equal(await storedErrors(client, project.id), []));
  assert.equal(await recountOf(dataDir), []);
  assert.is(await countOf(dataDir, "integrated_event"), 0);
});

test.run();
