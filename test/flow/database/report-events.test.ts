import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { PayloadEncoding, type ErrorEventSchema } from "@faultline/proto";
import { gzipSync } from "node:zlib";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sharedServer } from "../../support/service/flow.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { rejects } from "../../support/assert/rejects.ts";
import { newEventId, sendStore } from "../../support/sentry/send.ts";
import { storedErrors } from "../../support/database/stored.ts";

const { server, client } = await sharedServer();
let project: Project;

test.before.each(async () => {
  project = await createProject(server);
});

type EventInit = MessageInitShape<typeof ErrorEventSchema>;
const report = (...events: EventInit[]) => client.ingest.reportEvents({ events }, client.auth);
const get = (eventId: string) => client.errors.getEvent({ projectId: project.id, eventId }, client.auth);

/** An event as an internal service reports it: the head it wants to be grouped by, and the whole as JSON. */
function internalEvent(fields: EventInit = {}): EventInit & { eventId: string } {
  const frames = [{ filename: "job.ts", function: "run", inApp: true }];
  const exception = { type: "JobError", value: "job 7 failed" };
  const json = {
    release: "worker@2.0.0",
    exception: { values: [{ ...exception, stacktrace: { frames: [{ ...frames[0], lineno: 9 }] } }] },
  };
  return {
    projectId: project.id,
    exceptions: [{ ...exception, frames }],
    user: "id:42",
    release: "worker@2.0.0",
    tags: { queue: "mail" },
    payload: Buffer.from(JSON.stringify(json)),
    ...fields,
    eventId: fields.eventId ?? newEventId(),
  };
}

test("an event reported over gRPC is on disk and readable when the call returns", async () => {
  const event = internalEvent({ occurredTime: timestampFromMs(Date.now() - 60_000) });
  await report(event);
  const { event: stored } = await get(event.eventId);
  assert.is(stored?.title, "JobError: job 7 failed");
  assert.is(stored?.exceptions[0]?.frames[0]?.lineno, 9);
  assert.is(stored?.release, "worker@2.0.0");
  assert.is(
    stored?.occurredTime && timestampMs(stored.occurredTime),
    event.occurredTime && timestampMs(event.occurredTime as Parameters<typeof timestampMs>[0]),
  );
  const [error] = await storedErrors(client, project.id);
  assert.is(error?.affectedUserCount, 1);
  assert.equal(
    (await client.errors.listErrors({ projectId: project.id, query: "queue:mail" }, client.auth)).errors.length,
    1,
  );
});

test("1,000 events a call are stored, and a repeated call changes nothing", async () => {
  const events = Array.from({ length: 1_000 }, () => internalEvent());
  for (let time = 0; time < 2; time += 1) await report(...events);
  const [error, ...others] = await storedErrors(client, project.id);
  assert.equal(others, []);
  assert.is(error?.eventCount, 1_000);
});

test("the same event over gRPC and over HTTP is one event", async () => {
  const event = internalEvent();
  await report(event);
  assert.is((await sendStore(server, project, { event_id: event.eventId, message: "again" })).status, 200);
  const errors = await storedErrors(client, project.id);
  assert.equal(
    errors.map(({ eventCount }) => eventCount),
    [1],
  );
});

test("a gzip payload is read from its offset for its length", async () => {
  const json = JSON.stringify({ message: "packed" });
  const event = internalEvent({
    exceptions: [],
    message: "packed",
    payload: gzipSync(`before${json}after`),
    payloadEncoding: PayloadEncoding.GZIP,
    payloadOffset: "before".length,
    payloadLength: json.length,
  });
  await report(event);
  const { event: stored } = await get(event.eventId);
  assert.is(stored?.message, "packed");
  assert.equal(JSON.parse(stored?.payloadJson ?? ""), { message: "packed" });
});

test("a time outside the last 90 days and the next minute is bounded, and the event says so", async () => {
  const day = 86_400_000;
  for (const [at, least, most, isBounded] of [
    [Date.now() - 300 * day, -90 * day - 60_000, -90 * day + 60_000, true],
    [Date.now() - 89 * day, -89 * day - 60_000, -89 * day + 60_000, false],
    [Date.now() + 300 * day, 0, 120_000, true],
  ] as const) {
    const event = internalEvent({ occurredTime: timestampFromMs(at) });
    const before = Date.now();
    await report(event);
    const { event: stored } = await get(event.eventId);
    const off = (stored?.occurredTime ? timestampMs(stored.occurredTime) : 0) - before;
    assert.ok(off >= least && off <= most, `${off}`);
    assert.is(stored?.timeBound !== undefined, isBounded);
  }
});

const manyTags = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, "x"]));

for (const [what, fields] of Object.entries({
  "no payload": { payload: new Uint8Array() },
  "a payload that is not JSON": { payload: Buffer.from("{") },
  "a payload that begins behind its end": { payloadOffset: 10_000 },
}))
  test(`an event with ${what} is stored and shows its head`, async () => {
    const event = internalEvent(fields);
    await report(event);
    const { event: stored } = await get(event.eventId);
    assert.is(stored?.title, "JobError: job 7 failed");
    assert.is(stored?.level, "error");
  });

const refused: [claim: string, events: () => EventInit[], field: string][] = [
  ["no event at all", () => [], "events"],
  [
    "more than 1,000 events",
    () => Array.from({ length: 1_001 }, () => internalEvent({ payload: new Uint8Array() })),
    "events",
  ],
  ["an event without an id", () => [internalEvent({ eventId: "" })], "events[0].event_id"],
  [
    "an event id with hyphens",
    () => [internalEvent(), internalEvent({ eventId: crypto.randomUUID() })],
    "events[1].event_id",
  ],
  ["a payload above 1 MiB", () => [internalEvent({ payload: new Uint8Array(1_048_577) })], "events[0].payload"],
  ["a payload that is not gzip", () => [internalEvent({ payloadEncoding: PayloadEncoding.GZIP })], "events[0].payload"],
  ["a level that is none", () => [internalEvent({ level: "weird" })], "events[0].level"],
  ["a message above 8,192 characters", () => [internalEvent({ message: "x".repeat(8_193) })], "events[0].message"],
  ["a release above 200 characters", () => [internalEvent({ release: "x".repeat(201) })], "events[0].release"],
  [
    "an e-mail address above 75 characters",
    () => [internalEvent({ userNames: { email: "x".repeat(76) } })],
    "events[0].user_names.email",
  ],
  ["more than 100 tags", () => [internalEvent({ tags: manyTags(101) })], "events[0].tags"],
];
for (const [claim, events, field] of refused)
  test(`${claim} is refused by field, and nothing of the call is stored`, async () => {
    const refusal = await rejects(report(...events()), "INVALID_ARGUMENT");
    assert.is(refusal.field, field);
    assert.equal(await storedErrors(client, project.id), []);
  });

test("events of an unknown project are refused", async () => {
  await rejects(report(internalEvent({ projectId: 4_000_000 })), "NOT_FOUND");
});

test.run();
