import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { OutcomeKind } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createProject, type Project } from "../../support/core/project.ts";
import { http, type HttpRequest } from "../../support/http/http.ts";
import { envelope, newEventId, sendEnvelope, sendStore } from "../../support/sentry/send.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { repositoryRoot } from "../../support/service/server.ts";

type Json = Readonly<Record<string, unknown>>;

const { server, client } = await sharedServer();
let project: Project;
test.before.each(async () => {
  project = await createProject(server);
});

/** The items that the project left aside, as `category reason quantity`. */
async function leftAside(): Promise<string[]> {
  const { outcomes } = await client.outcomes.listOutcomes({ projectId: project.id }, client.auth);
  return outcomes
    .map(({ kind, category, reason, quantity }) => {
      assert.is(kind, OutcomeKind.LEFT_ASIDE);
      return `${category} ${reason} ${quantity}`;
    })
    .toSorted();
}

const at = (hoursAgo: number) => new Date(Date.now() - hoursAgo * 3_600_000).toISOString();
const attrs = { release: "shop@1" };
const bucket = { started: at(1), exited: 5, errored: 2 };
const counted = (fields: Json, more: Json = {}): Json => ({ aggregates: [{ ...bucket, ...fields }], attrs, ...more });

/** Items that no reader can use, by type. */
const unusable: [type: string, claim: string, item: Json, outcome: string][] = [
  ["session", "started more than 5 days ago", { started: at(121), attrs }, "session too_old 1"],
  ["session", "starts in the future", { started: at(-1), attrs }, "session in_future 1"],
  ["session", "names no start", { attrs }, "session no_start 1"],
  ["session", "names no release", { started: at(1) }, "session no_release 1"],
  ["sessions", "started more than 5 days ago", counted({ started: at(121) }), "session too_old 7"],
  ["sessions", "start in the future", counted({ started: at(-1) }), "session in_future 7"],
  ["sessions", "name no start", counted({ started: null }), "session no_start 7"],
  ["sessions", "name no release", counted({}, { attrs: {} }), "session no_release 7"],
  ["sessions", "have no count", counted({ exited: 0, errored: 0 }), "session no_counts 1"],
  ["sessions", "have a count that is none", counted({ exited: -1 }), "session no_counts 1"],
  ["sessions", "are no list", { aggregates: {}, attrs }, "session unreadable 1"],
  [
    "sessions",
    "are more than are read",
    { aggregates: Array.from({ length: 103 }, () => ({ ...bucket, started: at(121) })), attrs },
    "session extra 3,session too_old 700",
  ],
  ["user_report", "has no text", { event_id: newEventId(), name: "Ann", comments: " " }, "feedback no_text 1"],
  ["feedback", "has no text", { contexts: { feedback: { name: "Ann" } } }, "feedback no_text 1"],
  ["event", "is a transaction", { type: "transaction" }, "transaction not_kept 1"],
  ["event", "is feedback without text", { type: "feedback", contexts: {} }, "error no_text 1"],
  [
    "event",
    "is a large transaction",
    { type: "transaction", extra: { large: "x".repeat(200_000) } },
    "transaction not_kept 1",
  ],
  ["client_report", "is no list", { discarded_events: {} }, "default unreadable 1"],
  ["client_report", "has an entry that is none", { discarded_events: [null] }, "default unreadable 1"],
  [
    "client_report",
    "has more than is read",
    { discarded_events: Array(103).fill(0) },
    "default extra 3,default unreadable 100",
  ],
  ["attachment", "is not kept", {}, "attachment not_kept 1"],
  ["", "has no type", {}, "default not_kept 1"],
];

for (const [type, claim, item, outcome] of unusable) {
  test(`an item of type "${type}" that ${claim} is counted by name`, async () => {
    const { status, text } = await sendEnvelope(server, project, envelope(newEventId(), [{ type }, item]));
    assert.is(status, 200, text);
    assert.equal((await leftAside()).join(), outcome);
  });
}

test("an unusable event is counted at the other endpoints as well", async () => {
  await sendStore(server, project, { type: "transaction" });
  const pixel = `sentry_key=${project.key}&sentry_data=${encodeURIComponent('{"type":"transaction"}')}`;
  assert.is((await http(`${server.url}/api/${project.id}/store/?${pixel}`)).status, 200);
  assert.equal(await leftAside(), ["transaction not_kept 2"]);
});

const cspViolation = { type: "csp-violation", body: { effectiveDirective: "img-src", blockedURL: "inline" } };
const reports: [claim: string, body: unknown, outcome: string][] = [
  ["of Expect-CT", { "expect-ct-report": { hostname: "shop.example" } }, "security other_report 1"],
  [
    "of deprecated features, beside one of a policy",
    [{ type: "deprecation", body: {} }, cspViolation],
    "security other_report 1",
  ],
  ["of a crash", [{ type: "crash", body: { reason: "oom" } }, null], "security other_report 2"],
  [
    "beyond the first 100",
    Array.from({ length: 102 }, () => ({ type: "deprecation" })),
    "security extra 2,security other_report 100",
  ],
];
for (const [claim, body, outcome] of reports) {
  test(`browsers' reports ${claim} are counted by name`, async () => {
    const address = `${server.url}/api/${project.id}/security/?sentry_key=${project.key}`;
    const { status } = await http(address, { method: "POST", body: JSON.stringify(body) });
    assert.is(status, 200);
    assert.equal((await leftAside()).join(), outcome);
  });
}

// A reader that could return nothing could lose an item without a word: the compiler then has nothing to say.
test("no reader of items returns undefined", () => {
  const folder = join(repositoryRoot, "plugins/http-bridge/src/ingest/items");
  const readers = globSync("*.ts", { cwd: folder }).flatMap((file) => {
    const code = readFileSync(join(folder, file), "utf8");
    const signatures = code.matchAll(
      /^export (?:async )?function (read\w+)\([^]*?\): ([^{;]+(?:\{[^}]*\})?[^{;]*) \{$/gm,
    );
    return Array.from(signatures, ([, name = "", result = ""]) => ({ name, result }));
  });
  const names = readers.map(({ name }) => name);
  for (const name of [
    "readEventItem",
    "readFeedback",
    "readSessionUpdate",
    "readSessionAggregates",
    "readClientReport",
  ])
    assert.ok(names.includes(name), name);
  assert.equal(
    readers.filter(({ result }) => /\bundefined\b|\bvoid\b|\bnull\b/.test(result)).map(({ name }) => name),
    [],
  );
});

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const otlpJson = { "Content-Type": "application/json" };
const otlpBinary = { "Content-Type": "application/x-protobuf" };
type Place = Pick<Project, "id" | "key">;
const notKept: [
  address: (place: Place) => string,
  request: HttpRequest,
  answer: [number, string | RegExp],
  outcome: string,
][] = [
  [({ id, key }) => `/api/${id}/minidump/?sentry_key=${key}`, {}, [200, uuid], "error minidump 1"],
  [({ id, key }) => `/api/${id}/unreal/${key}/`, {}, [200, uuid], "error minidump 1"],
  [
    ({ id, key }) => `/api/${id}/events/${newEventId()}/attachments/?sentry_key=${key}`,
    {},
    [201, ""],
    "attachment not_kept 1",
  ],
  [({ id, key }) => `/api/${id}/nel/?sentry_key=${key}`, {}, [200, ""], "security not_kept 1"],
  [({ id, key }) => `/api/${id}/cron/nightly/${key}/?status=ok`, { method: "GET" }, [202, ""], "monitor not_kept 1"],
  [({ id, key }) => `/api/${id}/cron/nightly?sentry_key=${key}`, {}, [202, ""], "monitor not_kept 1"],
  ...[
    ["traces", "span"],
    ["logs", "log_item"],
    ["metrics", "trace_metric"],
  ].flatMap(([signal, category]): typeof notKept => [
    [
      ({ id, key }) => `/api/${id}/integration/otlp/v1/${signal}?sentry_key=${key}`,
      { headers: otlpBinary },
      [200, ""],
      `${category} not_kept 1`,
    ],
    [({ key }) => `/v1/${signal}?sentry_key=${key}`, { headers: otlpJson }, [200, "{}"], `${category} not_kept 1`],
  ]),
];
for (const [address, request, [status, text], outcome] of notKept) {
  test(`${address({ id: 1, key: "<key>" })} answers as its sender expects, and is counted by name`, async () => {
    const sent = { method: "POST", body: request.method === "GET" ? "" : "x".repeat(100_000), ...request };
    const answer = await http(server.url + address(project), sent);
    assert.is(answer.status, status, answer.text);
    if (typeof text === "string") assert.is(answer.text, text);
    else assert.match(answer.text, text);
    if (request.headers) assert.is(answer.headers["content-type"], (request.headers as Json)["Content-Type"]);
    assert.equal((await leftAside()).join(), outcome);

    const guess = await http(server.url + address({ ...project, key: "f".repeat(32) }), sent);
    assert.is(guess.status, 403);
  });
}

test.run();
