import { create, toJson, type JsonValue } from "@bufbuild/protobuf";
import type { ExternalLink } from "@faultline/plugin";
import {
  ErrorSchema,
  EventSchema,
  EventSummarySchema,
  type Error as TrackedError,
  type Event,
  type EventSummary,
} from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import {
  readEvent,
  readEventSummaries,
  readHourlyStats,
  readIssue,
  readIssues,
  readProjects,
} from "../../../plugins/external-backend/src/reading/index.ts";
import { readCaptures, replay } from "../../support/sentry/capture.ts";
import { runningServer } from "../../support/service/flow.ts";
import { createProject } from "../../support/core/project.ts";
import { envelope, newEventId, sendEnvelope, sendEvent } from "../../support/sentry/send.ts";
import { webApi } from "../../support/external/web-api.ts";

/**
 * An event that goes out through our API and comes in through our reading of such APIs looks the same (specification
 * 1.3). The tests compare every field, except fields named below that the form of the original cannot express.
 */

const { server, client } = await runningServer();
const project = await createProject(server);
const { project: made } = await client.projects.getProject(
  { key: { case: "projectId", value: project.id } },
  client.auth,
);
const captures = readCaptures();
for (const capture of captures) await replay(server, project, capture);

/** An event with something in each field of the message. */
const fullest = newEventId();
const frames = Array.from({ length: 60 }, (_, n) => ({
  filename: `src/step-${n}.ts`,
  abs_path: `/srv/app/src/step-${n}.ts`,
  function: `step${n}`,
  module: `app.step${n}`,
  package: "app",
  lineno: n + 1,
  colno: 7,
  in_app: n % 2 === 0,
  pre_context: ["// before", "", "  if (ready) {"],
  context_line: `    step(${n});`,
  post_context: ["  }", "// after"],
  vars: { n, deep: { list: [1, "two", null, false] }, html: "<script>alert(1)</script>" },
}));
const bare = { function: "native", in_app: false };
await sendEvent(server, project, {
  event_id: fullest,
  timestamp: Date.now() / 1000 - 100 * 86_400, // longer ago than an event may be, so that its time is bounded
  platform: "node",
  level: "fatal",
  logger: "orders.worker",
  transaction: "POST /orders",
  server_name: "worker-7",
  release: "shop@1.2.3+4f5a9b1c0d2e3f405162738495a6b7c8d9e0f1a2",
  environment: "production",
  logentry: { message: "order %s failed", params: ["1042"] },
  exception: {
    values: [
      { type: "TypeError", value: "x is not a function\nat line 2", module: "app.errors", stacktrace: { frames } },
      {
        type: "OrderFailed",
        value: "東京 & <b>",
        mechanism: {
          type: "chained",
          handled: false,
          synthetic: false,
          exception_id: 1,
          parent_id: 0,
          source: "__cause__",
        },
        stacktrace: { frames: [bare, ...frames.slice(0, 2)] },
      },
    ],
  },
  threads: {
    values: [
      { id: 7, name: "main", current: true, crashed: true },
      { id: "8", name: "gc" },
    ],
  },
  breadcrumbs: {
    values: [
      {
        timestamp: Date.now() / 1000 - 60,
        type: "http",
        category: "fetch",
        level: "warning",
        message: "GET /",
        data: { status: 500 },
      },
      { timestamp: Date.now() / 1000 - 30, message: "then" },
    ],
  },
  request: {
    url: "https://shop.example.com/orders",
    method: "POST",
    query_string: "a=%20+b&c&d=1&d=2",
    headers: { "content-type": "application/json", "x-forwarded-for": "192.0.2.7" },
    cookies: { theme: "dark" },
    data: { items: [1, 2] },
    env: { REMOTE_ADDR: "192.0.2.7" },
  },
  user: {
    id: "42",
    username: "ann",
    email: "ann@example.com",
    ip_address: "192.0.2.9",
    plan: "pro",
    geo: { city: "Oslo" },
  },
  tags: { region: "eu-north", feature: "checkout v2" },
  contexts: { os: { name: "Linux", version: "6.1" }, app: { mode: "test", nested: { a: [1, { b: 2 }] } } },
  extra: { cart: ["a", "b"], nothing: null, number: 1.5 },
  modules: { express: "5.1.0" },
  sdk: { name: "sentry.javascript.node", version: "9.0.0" },
});
for (const comments of ["It broke.", "Again."]) {
  const report = { event_id: fullest, name: "Ann", email: "ann@example.com", comments };
  const sent = await sendEnvelope(server, project, envelope(fullest, [{ type: "user_report" }, report]));
  assert.is(sent.status, 200, sent.text);
}
const message = newEventId();
await sendEvent(server, project, { event_id: message, message: "only words\nin two lines", level: "info" });
const stackAlone = newEventId();
await sendEvent(server, project, {
  event_id: stackAlone,
  message: "with a stack of its own",
  platform: "python",
  stacktrace: { frames: frames.slice(0, 3) },
});

const link: ExternalLink = {
  apiUrl: server.url,
  token: "not asked with",
  project: { id: String(project.id), slug: made?.path ?? "", organizationSlug: "-" },
  revision: 1,
};
const context = () => ({ projectId: project.id, link, now: Date.now() });
const path = `/projects/-/${made?.path}`;
const answerOf = async (address: string) => {
  const { status, json, text } = await webApi(server, `GET ${address}`);
  assert.is(status, 200, text);
  return json as JsonValue;
};

/** Fields that the form of the original has no place for, each with the reason. */
const lost = {
  payloadJson: "it holds the answer itself; the event as it was sent is at .../events/<id>/json/",
  clientKeyId: "the form of the original does not say with which client key an event came",
} as const;

/** Fields that the form of the original has among the tags: a tag of an SDK that is called so is taken for the field. */
const promoted = { logger: "logger", server_name: "serverName", transaction: "transaction" } as const;

const comparable = (event: Event) => {
  const { tags, ...own } = event;
  const copy: Record<string, unknown> = { ...own, tags: { ...tags } };
  for (const [key, field] of Object.entries(promoted)) {
    if (event[field] === "" && tags[key] !== undefined) copy[field] = tags[key];
  }
  const json = toJson(EventSchema, copy as unknown as Event) as Record<string, JsonValue>;
  const left = Object.entries((json["tags"] ?? {}) as object).filter(([key]) => !Object.hasOwn(promoted, key));
  json["tags"] = Object.fromEntries(left);
  return Object.fromEntries(Object.entries(json).filter(([name]) => !Object.hasOwn(lost, name)));
};

const eventIds = [...captures.flatMap((capture) => capture.eventIds), fullest, message, stackAlone];

test("there are events of nine SDKs to compare", () => assert.ok(eventIds.length > 60, String(eventIds.length)));

for (const eventId of eventIds) {
  test(`event ${eventId} is the same on both sides`, async () => {
    const here = await client.errors.getEvent({ projectId: project.id, eventId }, client.auth);
    const read = readEvent(await answerOf(`${path}/events/${eventId}/`), context());
    assert.ok(here.event);
    assert.equal(comparable(create(EventSchema, read.event)), comparable(here.event));
    assert.is(read.newerEventId, here.newerEventId);
    assert.is(read.olderEventId, here.olderEventId);
    assert.is(read.issueId, here.event.errorId);
    assert.is(read.externalProjectId, String(project.id));
  });
}

test("the fullest event has something in each field of the message", async () => {
  const { event } = await client.errors.getEvent({ projectId: project.id, eventId: fullest }, client.auth);
  assert.ok(event);
  const json = toJson(EventSchema, event) as Record<string, JsonValue>;
  const missing = EventSchema.fields.map(({ jsonName }) => jsonName).filter((name) => !Object.hasOwn(json, name));
  assert.equal(missing, []);
});

type ErrorFields = Record<string, JsonValue>;
const errorFields = (error: TrackedError, isListed: boolean): ErrorFields => {
  const {
    externalUrl: _link,
    settledLastSeenTime: _derived,
    hourlyCountsStartTime: _window,
    hourlyCounts = [],
    ...fields
  } = toJson(ErrorSchema, error) as ErrorFields;
  return { ...fields, ...(isListed && { hourlyCounts }) };
};

test("the list of issues is the list of errors, and each issue is its error", async () => {
  const { errors } = await client.errors.listErrors({ projectId: project.id, pageSize: 100 }, client.auth);
  const read = readIssues(await answerOf(`${path}/issues/?query=&limit=100`), context());
  assert.equal(
    read.map((error) => errorFields(create(ErrorSchema, error), true)),
    errors.map((error) => errorFields(error, true)),
  );
  for (const { errorId } of errors) {
    const here = await client.errors.getError({ projectId: project.id, errorId }, client.auth);
    const { error, externalProjectId } = readIssue(await answerOf(`/issues/${errorId}/`), context());
    assert.ok(here.error);
    assert.equal(errorFields(create(ErrorSchema, error), false), errorFields(here.error, false));
    assert.is(externalProjectId, String(project.id));
    assert.is(error.externalUrl, `${server.url}/${made?.path}/-/error_tracking/${errorId}/details`);
  }
});

test("the events of each issue and their counts are the same", async () => {
  const { errors } = await client.errors.listErrors({ projectId: project.id, pageSize: 100 }, client.auth);
  const json = (summary: EventSummary) => toJson(EventSummarySchema, summary);
  for (const { errorId } of errors) {
    const { events } = await client.errors.listEvents({ projectId: project.id, errorId, pageSize: 100 }, client.auth);
    const read = readEventSummaries(await answerOf(`/issues/${errorId}/events/?per_page=100`));
    assert.equal(
      read.map((summary) => json(create(EventSummarySchema, summary))),
      events.map(json),
    );
    const stats = await client.errors.getErrorStats({ projectId: project.id, errorId, hourCount: 48 }, client.auth);
    const firstHour = Number(stats.startTime?.seconds ?? 0n) / 3600;
    const since = firstHour * 3600;
    const counts = await answerOf(
      `/issues/${errorId}/stats/?since=${since}&until=${since + 48 * 3600 - 1}&resolution=1h`,
    );
    assert.is((counts as unknown[]).length, 48);
    assert.equal(readHourlyStats(counts, { firstHour, hours: 48 }), stats.counts);
  }
});

test("the list of projects is read whole", async () => {
  const [read] = readProjects(await answerOf("/projects/"));
  assert.is(read?.id, String(project.id));
  assert.is(read?.slug, made?.path);
  assert.is(read?.organizationSlug, "-");
  assert.match(read?.organizationId ?? "", /^\d+$/);
});

test.run();
