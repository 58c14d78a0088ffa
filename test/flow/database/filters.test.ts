import { OutcomeKind } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { runningServer } from "../../support/service/flow.ts";
import { http } from "../../support/http/http.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { refusedBecause } from "../../support/assert/refused-because.ts";
import { rest } from "../../support/rest/rest.ts";
import { envelope, newEventId, post, sendEvent, sendStore } from "../../support/sentry/send.ts";
import { errorEvent } from "../../support/sentry/error-event.ts";
import { until } from "../../support/run/until.ts";

const { server, client } = await runningServer({
  env: { FAULTLINE_TRUSTED_PROXIES: "127.0.0.1", FAULTLINE_RATE_LIMIT_PROJECT: "600" },
});

type Json = Record<string, unknown>;

const filtersOf = ({ id }: Project) => `/projects/${id}/error_tracking/filters`;
const setFilters = async (project: Project, body: Json) => {
  const { status, text } = await rest(server, `PATCH ${filtersOf(project)}`, { body });
  assert.is(status, 200, text);
};

/** The filtered events of a project, as `category reason quantity`. */
async function stoppedIn({ id }: Project): Promise<string[]> {
  const { outcomes } = await client.outcomes.listOutcomes({ projectId: id }, client.auth);
  return outcomes
    .filter(({ kind }) => kind === OutcomeKind.FILTERED)
    .map(({ category, reason, quantity }) => `${category} ${reason} ${quantity}`)
    .toSorted();
}

async function storedTitles({ id }: Project): Promise<string[]> {
  const { errors } = await client.errors.listErrors({ projectId: id }, client.auth);
  return errors.map(({ title }) => title).toSorted();
}

const googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const ie11 = "Mozilla/5.0 (Windows NT 6.3; Trident/7.0; rv:11.0) like Gecko";
const browser = (userAgent: string) => ({ request: { headers: { "User-Agent": userAgent } } });

const stopped: [claim: string, filters: Json, event: Json, reason: string, headers?: Record<string, string>][] = [
  ["an address", { addresses: ["203.0.113.7"] }, {}, "filter_address", { "X-Forwarded-For": "203.0.113.7" }],
  ["a network", { addresses: ["2001:db8::/32"] }, {}, "filter_address", { "X-Forwarded-For": "2001:db8::17" }],
  ["a release", { releases: ["web@1.*"] }, { release: "web@1.2" }, "filter_release"],
  ["an environment", { environments: ["test-?"] }, { environment: "test-7" }, "filter_environment"],
  ["a message", { messages: ["*loop completed*"] }, { message: "ResizeObserver loop completed" }, "filter_message"],
  [
    "an exception's type",
    { types: ["AbortError"] },
    { exception: { values: [{ type: "AbortError", value: "x" }] } },
    "filter_type",
  ],
  ["a web crawler", { web_crawlers: true }, browser(googlebot), "crawler"],
  ["a web crawler that reports itself", { web_crawlers: true }, {}, "crawler", { "User-Agent": googlebot }],
  ["an old browser", { old_browsers: true }, browser(ie11), "old_browser"],
  [
    "a browser extension",
    { browser_extensions: true },
    {
      platform: "javascript",
      exception: {
        values: [{ type: "E", value: "x", stacktrace: { frames: [{ filename: "moz-extension://a/b.js" }] } }],
      },
    },
    "browser_extension",
  ],
  ["localhost", { localhost: true }, { request: { url: "http://localhost:3000/" } }, "localhost"],
];

for (const [claim, filters, event, reason, headers] of stopped) {
  test(`${claim} is stopped with 200 and counted as ${reason}, and everything else is stored`, async () => {
    const project = await createProject(server);
    await setFilters(project, filters);
    const eventId = newEventId();
    const text = JSON.stringify({ event_id: eventId, message: "unwanted", ...event });
    const answer = await post(server, project, "store", text, { "Content-Type": "application/json", ...headers });
    assert.equal([answer.status, answer.json], [200, { id: eventId }]);
    assert.is((await sendEvent(server, project, { event_id: newEventId(), message: "wanted" })).status, 200);
    assert.equal(await storedTitles(project), ["wanted"]);
    assert.equal(await stoppedIn(project), [`error ${reason} 1`]);
  });

  test(`${claim} is stopped when the event is large, too`, async () => {
    const project = await createProject(server);
    await setFilters(project, filters);
    const text = JSON.stringify({ event_id: newEventId(), message: "unwanted", extra: "x".repeat(100_000), ...event });
    assert.is((await post(server, project, "store", text, headers)).status, 200);
    assert.equal(await stoppedIn(project), [`error ${reason} 1`]);
  });
}

const allOff = {
  addresses: [],
  releases: [],
  environments: [],
  messages: [],
  types: [],
  web_crawlers: false,
  old_browsers: false,
  browser_extensions: false,
  localhost: false,
  spike_protection: true,
};

test("a new project stops nothing, and its spike protection is on", async () => {
  const project = await createProject(server);
  const { json } = await rest(server, `GET ${filtersOf(project)}`);
  assert.equal(json, {
    ...allOff,
    spike_budget: { total: 360_000, left: 360_000, usual_day: 0, begins_at: null },
    revision: 0,
    updated_at: null,
  });
  for (const [, , event, , headers] of stopped) {
    const text = JSON.stringify({ event_id: newEventId(), ...event });
    assert.is((await post(server, project, "store", text, headers)).status, 200);
  }
  assert.equal(await stoppedIn(project), []);
  const { errors } = await client.errors.listErrors({ projectId: project.id }, client.auth);
  assert.is(
    errors.reduce((sum, { eventCount }) => sum + eventCount, 0),
    stopped.length,
  );
});

test("events of an envelope, of the query and of a browser's reports are stopped as well", async () => {
  const project = await createProject(server);
  await setFilters(project, { messages: ["unwanted*", "Blocked *"] });
  const eventId = newEventId();
  const answers = [
    await sendEvent(server, project, { event_id: eventId, message: "unwanted in an envelope" }),
    await http(
      `${server.url}/api/${project.id}/store/?sentry_key=${project.key}&sentry_data=${encodeURIComponent('{"message":"unwanted in a query"}')}`,
    ),
    await http(`${server.url}/api/${project.id}/security/?sentry_key=${project.key}`, {
      method: "POST",
      body: JSON.stringify({
        "csp-report": { "effective-directive": "script-src", "blocked-uri": "https://a.example/" },
      }),
    }),
  ];
  assert.equal(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.equal(answers[0]?.json, { id: eventId });
  assert.equal(await stoppedIn(project), ["error filter_message 3"]);
  assert.equal(await storedTitles(project), []);
});

test("the session next to a stopped event is stored", async () => {
  const project = await createProject(server);
  await setFilters(project, { releases: ["web@1.*"] });
  const eventId = newEventId();
  const session = {
    sid: newEventId(),
    started: new Date().toISOString(),
    status: "crashed",
    attrs: { release: "web@1.0" },
  };
  const text = envelope(
    eventId,
    [{ type: "event" }, { message: "x", release: "web@1.0" }],
    [{ type: "session" }, session],
  );
  const answer = await post(server, project, "envelope", text);
  assert.equal([answer.status, answer.json], [200, { id: eventId }]);
  assert.equal(await stoppedIn(project), ["error filter_release 1"]);
  const { releases } = await client.releases.listReleases({ projectId: project.id, hourCount: 24 }, client.auth);
  assert.equal(
    releases.map(({ version }) => version),
    ["web@1.0"],
  );
});

test("an event whose session is refused keeps its 200, because it was stopped and must not be sent again", async () => {
  const project = await createProject(server);
  await setFilters(project, { messages: ["unwanted"] });
  const text = `{}\n{"type":"event"}\n{"message":"unwanted"}\n{"type":"session"}\n{`;
  assert.is((await post(server, project, "envelope", text)).status, 200);
});

test("a change holds from the next event on, and a filter that is taken out lets in again", async () => {
  const project = await createProject(server);
  const send = () => sendStore(server, project, { event_id: newEventId(), message: "now and then" });
  await send();
  await setFilters(project, { messages: ["now*"] });
  await send();
  await setFilters(project, { messages: [] });
  await send();
  assert.equal(await stoppedIn(project), ["error filter_message 1"]);
  const { errors } = await client.errors.listErrors({ projectId: project.id }, client.auth);
  assert.equal(
    errors.map(({ eventCount }) => eventCount),
    [2],
  );
});

test("filters of a project are its own", async () => {
  const [one, other] = [await createProject(server), await createProject(server)];
  await setFilters(one, { messages: ["shared"] });
  await sendStore(server, other, { message: "shared" });
  assert.equal(await storedTitles(other), ["shared"]);
});

test("events that a service of the team reports over gRPC are not filtered", async () => {
  const project = await createProject(server);
  await setFilters(project, { messages: ["reported*"] });
  const event = errorEvent({ projectId: project.id, eventId: newEventId(), message: "reported by a service" });
  await client.ingest.reportEvents({ events: [event] }, client.auth);
  assert.is((await storedTitles(project)).length, 1);
});

test("stopped events are in the metrics, and with their kind in REST", async () => {
  const project = await createProject(server);
  await setFilters(project, { types: ["Unwanted"] });
  const metric = async () => {
    const { text } = await http(`${server.url}/-/metrics`);
    return Number(
      /^faultline_events_filtered_total\{category="error",reason="filter_type"\} (\d+)$/m.exec(text)?.[1] ?? 0,
    );
  };
  const before = await metric();
  await sendStore(server, project, { exception: { values: [{ type: "Unwanted", value: "x" }] } });
  assert.is(await metric(), before + 1);
  const { json } = await rest(server, `GET /projects/${project.id}/error_tracking/outcomes`);
  const { outcomes, refused_counts: refused } = json as { outcomes: Json[]; refused_counts: number[] };
  assert.equal(
    outcomes.map(({ kind, reason, quantity }) => [kind, reason, quantity]),
    [["filtered", "filter_type", 1]],
  );
  assert.is(
    refused.reduce((sum, count) => sum + count, 0),
    0,
  );
});

test("a save over REST is seen over gRPC, and is in the audit log without the entries", async () => {
  const project = await createProject(server);
  await setFilters(project, { addresses: ["203.0.113.0/24", " 203.0.113.0/24 "], localhost: true });
  const { filters } = await client.filters.getFilters({ projectId: project.id }, client.auth);
  assert.equal([filters?.addresses, filters?.localhost, filters?.revision], [["203.0.113.0/24"], true, 1]);
  assert.ok(filters?.updatedTime);
  const { auditEvents } = await client.audit.listAuditEvents({ projectId: project.id }, client.auth);
  assert.ok(auditEvents.some(({ summary }) => summary === "Changed the inbound filters: addresses, localhost."));
});

test("a form takes one entry per line", async () => {
  const project = await createProject(server);
  const { json } = await rest(server, `PATCH ${filtersOf(project)}`, { body: { messages: "a*\r\n\r\nb*" } });
  assert.equal((json as Json)["messages"], ["a*", "b*"]);
});

test("of two saves of one revision, the second is refused and changes nothing", async () => {
  const project = await createProject(server);
  await setFilters(project, { messages: ["first"], revision: 0 });
  const { status, json } = await rest(server, `PATCH ${filtersOf(project)}`, {
    body: { messages: ["second"], revision: 0 },
  });
  assert.equal(
    [status, json],
    [
      409,
      {
        message: "Someone else has changed these filters. Reload them and repeat your change.",
        reason: "SETTINGS_CHANGED",
      },
    ],
  );
  const { filters } = await client.filters.getFilters({ projectId: project.id }, client.auth);
  assert.equal(filters?.messages, ["first"]);
});

const bad: [claim: string, body: Json, sentence: RegExp][] = [
  [
    "a filter that does not exist",
    { message: ["x"] },
    /message is not a parameter of this call: did you mean messages\?/,
  ],
  ["a word for a switch", { localhost: "sometimes" }, /localhost is invalid/],
  ["a number for a list", { messages: 7 }, /messages is invalid/],
  ["a list of numbers", { messages: [7] }, /messages is invalid/],
  ["a revision that is none", { revision: "x" }, /revision is invalid/],
  [
    "what is no address",
    { addresses: ["everybody"] },
    /\\"everybody\\" is neither an IP address nor a network\. Write it as/,
  ],
  ["all addresses", { addresses: ["0.0.0.0/0"] }, /every address\. To accept no events, turn error tracking off/],
  ["a pattern for everything", { messages: ["*"] }, /matches every text\. Add characters/],
  ["a pattern that is too long", { types: ["x".repeat(201)] }, /has 201 characters\. Use at most 200/],
  ["101 patterns", { types: Array.from({ length: 101 }, (_, n) => `${n}`) }, /has 101 entries\. Keep at most 100/],
  ["a line break within a pattern", { types: ["a\nb"] }, /Write one entry per line/],
];

for (const [claim, body, sentence] of bad) {
  test(`${claim} is refused in words, and changes nothing`, async () => {
    const project = await createProject(server);
    await setFilters(project, { environments: ["kept"] });
    const { status, text } = await rest(server, `PATCH ${filtersOf(project)}`, { body: { environments: [], ...body } });
    assert.is(status, 400, text);
    assert.match(text, sentence);
    const { filters } = await client.filters.getFilters({ projectId: project.id }, client.auth);
    assert.equal([filters?.environments, filters?.revision], [["kept"], 1]);
  });
}

test("gRPC refuses a bad entry with its field", async () => {
  const project = await createProject(server);
  const update = client.filters.updateFilters({ projectId: project.id, types: { entries: ["*"] } }, client.auth);
  assert.is((await refusedBecause("INVALID_FIELD", update)).field, "types");
});

test("filters go with their project", async () => {
  const project = await createProject(server);
  await setFilters(project, { messages: ["x"] });
  await rest(server, `DELETE /projects/${project.id}`);
  await until("the project is gone", async () => (await rest(server, `GET ${filtersOf(project)}`)).status === 404);
});

test.run();
