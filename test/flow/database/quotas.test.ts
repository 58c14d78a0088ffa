import { randomBytes } from "node:crypto";
import { statfsSync } from "node:fs";
import { create } from "@bufbuild/protobuf";
import { millisecondsOf } from "@faultline/plugin";
import { ErrorEventSchema, ErrorReason, OutcomeKind, Role, type Quota } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../backend/src/main.ts";
import { databaseOf } from "../../support/database/database-of.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { dayMs, movableClock, testPace } from "../../support/service/movable-faultline.ts";
import { newMember } from "../../support/core/person.ts";
import { createKey, createProject, type Project } from "../../support/core/project.ts";
import { rejects } from "../../support/assert/rejects.ts";
import { rest } from "../../support/rest/rest.ts";
import { envelope, newEventId, sendEnvelope, sendStore } from "../../support/sentry/send.ts";
import { recountOf, rowsOf } from "../../support/database/stored-rows.ts";
import { storedErrors, storedEventCount } from "../../support/database/stored.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";
import { until } from "../../support/run/until.ts";
import type { Faultline } from "../../../backend/src/serve.ts";

const megabyte = 1_000_000n;

const clock = movableClock();
const dataDir = tempDir();
const isPostgresql = databaseOf(dataDir) !== undefined;
let faultline: Faultline;
let client: GrpcClient;
let server: { readonly url: string };

async function start(): Promise<void> {
  faultline = await startFaultline(testConfig(dataDir), clock, { pace: testPace });
  client = grpcClient(faultline);
  server = { url: faultline.httpUrl };
}

async function stop(): Promise<void> {
  client.close();
  await faultline.stop();
}

await start();
test.after(stop);

async function quotaOf({ id }: Pick<Project, "id">): Promise<Quota> {
  const { quota } = await client.quotas.getQuota({ projectId: id }, client.auth);
  assert.ok(quota);
  return quota;
}

/** An event of which next to nothing can be saved by packing: about `bytes` are stored. */
const noisy = (bytes: number, fields: Readonly<Record<string, unknown>> = {}) => ({
  event_id: newEventId(),
  exception: { values: [{ type: "Flood", value: "x" }] },
  extra: { noise: randomBytes(bytes).toString("base64") },
  ...fields,
});

const sendNoise = async (project: Project, bytes: number, fields?: Readonly<Record<string, unknown>>) =>
  (await sendStore(server, project, noisy(bytes, fields))).status;

test("by default a project keeps a quarter of the disk, and receives half of that in a day", async () => {
  const quota = await quotaOf(await createProject(server));
  const { blocks, bsize } = statfsSync(dataDir);
  const kept = isPostgresql ? 10_000n * megabyte : BigInt(Math.floor((blocks * bsize) / 4));
  assert.is(quota.keptLimitBytes, kept);
  assert.is(quota.dayLimitBytes, kept / 2n);
  assert.equal([quota.hasOwnDayLimit, quota.hasOwnKeptLimit], [false, false]);
});

test("administrators set the limits of all projects and of one, and give them up again; each change is in the audit log", async () => {
  const project = await createProject(server);
  const changed = await rest(server, "PUT /application/default_quota", {
    body: { day_limit_bytes: 7_000_000, kept_limit_bytes: 0 },
  });
  assert.is(changed.status, 200, changed.text);
  let quota = await quotaOf(project);
  assert.equal([quota.dayLimitBytes, quota.keptLimitBytes], [7n * megabyte, 0n]);
  const own = await rest(server, `PUT /projects/${project.id}/error_tracking/quota`, {
    body: { day_limit_bytes: "3000000", kept_limit_bytes: 4_000_000 },
  });
  assert.is(own.status, 200, own.text);
  quota = await quotaOf(project);
  assert.equal([quota.dayLimitBytes, quota.hasOwnDayLimit], [3n * megabyte, true]);
  assert.equal([quota.keptLimitBytes, quota.hasOwnKeptLimit], [4n * megabyte, true]);
  // Those of all projects were set for the day too; without that the day follows what this project may keep.
  await client.quotas.updateQuota({ projectId: project.id, useDefaultDayLimit: true }, client.auth);
  quota = await quotaOf(project);
  assert.equal([quota.dayLimitBytes, quota.hasOwnDayLimit, quota.hasOwnKeptLimit], [7n * megabyte, false, true]);
  const back = { day_limit_bytes: "default", kept_limit_bytes: "default" };
  assert.is((await rest(server, "PUT /application/default_quota", { body: back })).status, 200);
  quota = await quotaOf(project);
  assert.equal([quota.dayLimitBytes, quota.keptLimitBytes], [2n * megabyte, 4n * megabyte]);
  await client.quotas.updateQuota({ projectId: project.id, keptLimitBytes: 0n }, client.auth);
  quota = await quotaOf(project);
  assert.equal([quota.dayLimitBytes, quota.keptLimitBytes], [0n, 0n], "half of what has no limit has none");
  const { auditEvents } = await client.audit.listAuditEvents({ pageSize: 10 }, client.auth);
  const summaries = auditEvents.map(({ summary }) => summary).join("\n");
  assert.match(
    summaries,
    `Changed the limits of ${project.path} (${project.id}): bytes a day 3000000, bytes kept 4000000.`,
  );
  assert.match(
    summaries,
    "Changed the limits of all projects without their own: bytes a day 7000000, bytes kept without a limit.",
  );
  assert.match(summaries, "bytes a day as by default");
});

test("limits that are not bytes, out of range or contradictory are refused in words, and change nothing", async () => {
  const project = await createProject(server);
  const before = await quotaOf(project);
  const path = `PUT /projects/${project.id}/error_tracking/quota`;
  for (const [body, words] of [
    [{ day_limit_bytes: -1 }, "whole number of bytes"],
    [{ day_limit_bytes: 1_500_000.5 }, "whole number of bytes"],
    [{ kept_limit_bytes: "20 GB" }, "whole number of bytes"],
    [{ kept_limit_bytes: true }, "whole number of bytes"],
    [{ kept_limit_bytes: 999_999 }, "1 MB"],
    [{ kept_limit_bytes: 1e15 + 1 }, "1 PB"],
    [{}, "Set a limit"],
  ] as const) {
    const { status, text } = await rest(server, path, { body });
    assert.is(status, 400, text);
    assert.match(text, words);
  }
  const both = client.quotas.updateQuota(
    { projectId: project.id, keptLimitBytes: megabyte, useDefaultKeptLimit: true },
    client.auth,
  );
  const refusal = await rejects(both, "INVALID_ARGUMENT");
  assert.equal([refusal.reason, refusal.field], [ErrorReason.INVALID_FIELD, "kept_limit_bytes"]);
  const missing = client.quotas.updateQuota({ projectId: 999_999, keptLimitBytes: 0n }, client.auth);
  assert.is((await rejects(missing, "NOT_FOUND")).reason, ErrorReason.PROJECT_NOT_FOUND);
  const after = await quotaOf(project);
  assert.equal([after.dayLimitBytes, after.keptLimitBytes], [before.dayLimitBytes, before.keptLimitBytes]);
});

test("people who read a project's errors read its quota; owners who are not administrators do not set it", async () => {
  const project = await createProject(server);
  const owner = await newMember(client, project.id, Role.OWNER);
  const { quota } = await client.quotas.getQuota({ projectId: project.id }, { token: owner.token });
  assert.is(quota?.projectPath, project.path);
  const set = client.quotas.updateQuota({ projectId: project.id, dayLimitBytes: 0n }, { token: owner.token });
  assert.is((await rejects(set, "PERMISSION_DENIED")).reason, ErrorReason.FORBIDDEN);
  const list = await rest(server, "GET /application/quotas", { token: owner.token });
  assert.is(list.status, 403);
});

test("a key that floods leaves half of a day to another key that sends too", async () => {
  clock.at += dayMs - (clock.at % dayMs);
  const project = await createProject(server);
  const flooded = { ...project, ...(await createKey(server, project.id)) };
  await client.quotas.updateQuota({ projectId: project.id, dayLimitBytes: megabyte }, client.auth);
  assert.is(await sendNoise(project, 10), 200);
  const sent = async (sender: Project, count: number) => {
    let stored = 0;
    for (let n = 0; n < count; n++) if ((await sendNoise(sender, 100_000)) === 200) stored++;
    return stored;
  };
  assert.equal([await sent(flooded, 9), await sent(project, 4), await sent(flooded, 1)], [5, 4, 0]);
});

let limited: Project;

test("beyond a daily limit, events of that project are refused with 429 until 0:00 UTC", async () => {
  limited = await createProject(server);
  const other = await createProject(server);
  await client.quotas.updateQuota({ projectId: limited.id, dayLimitBytes: megabyte }, client.auth);
  const statuses: number[] = [];
  while (statuses.at(-1) !== 429 && statuses.length < 20) statuses.push(await sendNoise(limited, 100_000));
  assert.equal(statuses, [...Array.from({ length: 10 }, () => 200), 429], `${(await quotaOf(limited)).dayBytes}`);

  const refused = await sendStore(server, limited, noisy(10));
  const seconds = Math.ceil((dayMs - (clock.at % dayMs)) / 1000);
  assert.is(refused.headers["retry-after"], `${seconds}`);
  assert.is(
    refused.headers["x-sentry-rate-limits"],
    `${seconds}:error;default;security;session;feedback:project:quota`,
  );
  assert.match(refused.text, "reached its limit of bytes per day");
  const inEnvelope = await sendEnvelope(server, limited, envelope(newEventId(), [{ type: "event" }, noisy(10)]));
  assert.is(inEnvelope.status, 429);
  const event = create(ErrorEventSchema, { projectId: limited.id, eventId: newEventId(), message: "over gRPC" });
  const refusal = await rejects(client.ingest.reportEvents({ events: [event] }, client.auth), "RESOURCE_EXHAUSTED");
  assert.is(refusal.reason, ErrorReason.QUOTA_REACHED);
  assert.is(await sendNoise(other, 100_000), 200);

  const { outcomes } = await client.outcomes.listOutcomes({ projectId: limited.id }, client.auth);
  assert.equal(
    outcomes.map(({ kind, category, reason, quantity }) => [kind, category, reason, quantity]),
    [[OutcomeKind.REFUSED, "error", "quota", 3n]],
  );
  const quota = await quotaOf(limited);
  assert.ok(quota.dayBytes >= megabyte && quota.dayBytes < megabyte + 110_000n, `${quota.dayBytes}`);
  assert.match(quota.refusedBecause, "limit of bytes per day");
});

test("a restart remembers what came today; a higher limit, and the next day, let events in again", async () => {
  await stop();
  await start();
  assert.is(await sendNoise(limited, 10), 429);
  await client.quotas.updateQuota({ projectId: limited.id, dayLimitBytes: 2n * megabyte }, client.auth);
  assert.is(await sendNoise(limited, 10), 200);
  await client.quotas.updateQuota({ projectId: limited.id, dayLimitBytes: megabyte }, client.auth);
  assert.is(await sendNoise(limited, 10), 429);
  clock.at += dayMs;
  assert.is(await sendNoise(limited, 10), 200);
  const { dayBytes, bytesPerDay } = await quotaOf(limited);
  assert.ok(dayBytes < 10_000n, `${dayBytes}`);
  assert.ok((bytesPerDay.at(-1) ?? 0n) >= megabyte, "yesterday is counted");
});

test("a mebibyte of one letter that comes as a kilobyte is not stored as a mebibyte, and is read as it was sent", async () => {
  const project = await createProject(server);
  const eventId = newEventId();
  const event = { event_id: eventId, message: "packed at once", extra: { letters: "A".repeat(1_000_000) } };
  const report = [{ type: "client_report" }, { discarded_events: [] }] as const;
  const sent = await sendEnvelope(server, project, envelope(eventId, [{ type: "event" }, event], report));
  assert.is(sent.status, 200, sent.text);
  const [row] = await rowsOf(
    dataDir,
    `select length(content) as bytes from integrated_payload where event_row_id = (
      select max(id) from integrated_event where project_id = ${project.id})`,
  );
  assert.ok(Number(row?.["bytes"]) < 10_000, `${String(row?.["bytes"])} bytes are stored`);
  assert.ok((await quotaOf(project)).keptBytes < 11_000n);
  const [error] = await storedErrors(client, project.id);
  const errorId = error?.errorId ?? "";
  const read = await client.errors.getEvent({ projectId: project.id, errorId, eventId }, client.auth);
  assert.match(
    JSON.stringify(read, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)),
    "AAAAAAAA",
  );
});

test("a project that keeps too much loses its own oldest events, and the counters equal a recount", async () => {
  const [project, other] = [await createProject(server), await createProject(server)];
  await client.quotas.updateQuota({ projectId: project.id, dayLimitBytes: 0n, keptLimitBytes: megabyte }, client.auth);
  const old = { exception: { values: [{ type: "Old", value: "x" }] }, release: "old@1" };
  for (let n = 0; n < 6; n++) {
    for (const one of [project, other]) {
      assert.is(await sendNoise(one, 10_000, { ...old, user: { id: `${n}` } }), 200);
    }
  }
  clock.at += dayMs;
  const today = clock.at - (clock.at % dayMs);
  const fresh = { user: { id: "the same" }, release: "new@1" };
  let sent = 0;
  await until("all events of the day before are gone", async () => {
    if ((await sendNoise(project, 30_000, fresh)) === 200) sent++;
    const { evictedUntilTime } = await quotaOf(project);
    return evictedUntilTime && millisecondsOf(evictedUntilTime) >= today;
  });
  // An eviction may end between the two counts.
  const quota = await until("it keeps what it may, and each event is kept or counted as evicted", async () => {
    const now = await quotaOf(project);
    const events = BigInt(await storedEventCount(client, project.id)) + now.evictedEventCount;
    return now.keptBytes <= 950_000n && events === BigInt(sent + 6) ? now : undefined;
  });
  assert.ok(quota.keptBytes > 300_000n, `${quota.keptBytes}`);
  assert.equal(
    (await storedErrors(client, project.id)).map(({ type }) => type),
    ["Flood"],
  );
  assert.equal(
    (await storedErrors(client, other.id)).map(({ eventCount, affectedUserCount }) => [eventCount, affectedUserCount]),
    [[6, 6]],
  );
  assert.equal(await recountOf(dataDir), []);
  if (!isPostgresql) {
    await until("the pages of what was evicted are back", async () => {
      const [row] = await rowsOf(dataDir, "select freelist_count from pragma_freelist_count");
      return row?.["freelist_count"] === 0;
    });
  }
  const { quotas, totalKeptBytes } = await client.quotas.listQuotas({}, client.auth);
  const kept = quotas.map(({ keptBytes }) => Number(keptBytes));
  assert.equal(
    kept,
    kept.toSorted((less, more) => more - less),
  );
  assert.ok(totalKeptBytes >= quota.keptBytes);
});

test("a project that sends more than eviction can take is refused at its limit, and not beyond it", async () => {
  const project = await createProject(server);
  await client.quotas.updateQuota({ projectId: project.id, dayLimitBytes: 0n, keptLimitBytes: megabyte }, client.auth);
  const statuses = await Promise.all(Array.from({ length: 40 }, () => sendNoise(project, 100_000)));
  assert.ok(statuses.includes(200) && statuses.includes(429), statuses.join());
  // While the last ones arrive, eviction may have made room once more.
  const { evictedEventCount } = await quotaOf(project);
  const keptCount = statuses.filter((status) => status === 200).length - Number(evictedEventCount);
  assert.ok(keptCount <= 11, `${keptCount} events of 100 kB are kept`);
  await until("events are taken again", async () => (await sendNoise(project, 10)) === 200);
  const counted = `select bytes from daily_intake where project_id = ${project.id}`;
  await until("what came is stored", async () => (await rowsOf(dataDir, counted)).length > 0); // once a second
});

test.run();
