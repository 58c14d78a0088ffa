import { OutcomeKind, type Refusal } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sharedServer } from "../../support/service/flow.ts";
import { grpcClient } from "../../support/core/grpc.ts";
import { http } from "../../support/http/http.ts";
import { takeDatabase } from "../../support/database/other-process.ts";
import { createKey, createProject, type Project } from "../../support/core/project.ts";
import { rejects } from "../../support/assert/rejects.ts";
import { rest } from "../../support/rest/rest.ts";
import { envelope, newEventId, post, sendEnvelope, sendStore } from "../../support/sentry/send.ts";
import { startServer } from "../../support/service/server.ts";
import { until } from "../../support/run/until.ts";

const { server, client } = await sharedServer();

/** The outcomes of a project as `kind category reason quantity`. */
async function outcomesOf({ id }: Project): Promise<string[]> {
  const { outcomes } = await client.outcomes.listOutcomes({ projectId: id }, client.auth);
  return outcomes
    .map(({ kind, category, reason, quantity }) => `${kindNames[kind]} ${category} ${reason} ${quantity}`)
    .toSorted();
}

const kindNames: Record<OutcomeKind, string> = {
  [OutcomeKind.UNSPECIFIED]: "?",
  [OutcomeKind.REFUSED]: "refused",
  [OutcomeKind.LEFT_ASIDE]: "left aside",
  [OutcomeKind.NOT_SENT]: "not sent",
  [OutcomeKind.FILTERED]: "filtered",
};

const wrongKey = "f".repeat(32);
const event = () => ({ event_id: newEventId(), message: "counted" });

const refused: [claim: string, send: (project: Project) => Promise<unknown>, outcome: string][] = [
  ["an unknown key", ({ id }) => sendStore(server, { id, key: wrongKey }, event()), "refused error unknown_key 1"],
  [
    "an unknown key of an envelope",
    ({ id }) => sendEnvelope(server, { id, key: wrongKey }, "{}"),
    "refused default unknown_key 1",
  ],
  [
    "an unknown key within an envelope",
    ({ id }) => sendTunnelled(id, new URL(`http://${wrongKey}@127.0.0.1/${id}`).href),
    "refused default unknown_key 1",
  ],
  [
    "a broken event in an envelope that brings its key",
    ({ id, dsn }) => sendTunnelled(id, dsn),
    "refused error malformed 1",
  ],
  ["a body that is no JSON", (project) => post(server, project, "store", "{"), "refused error malformed 1"],
  ["an envelope without a frame", (project) => sendEnvelope(server, project, "x"), "refused default malformed 1"],
  [
    "an unknown encoding",
    (project) => post(server, project, "store", "{}", { "Content-Encoding": "foo" }),
    "refused error encoding 1",
  ],
  [
    "a body that is too large",
    (project) => post(server, project, "store", "x".repeat(1024 * 1024 + 1)),
    "refused error too_large 1",
  ],
  [
    "an event that is too large for its envelope",
    (project) =>
      sendEnvelope(server, project, envelope(newEventId(), [{ type: "event" }, { message: "x".repeat(1024 * 1024) }])),
    "refused error too_large 1",
  ],
  [
    "an event of too many levels",
    (project) => post(server, project, "store", `{"extra":${"[".repeat(64)}${"]".repeat(64)}}`),
    "refused error too_deep 1",
  ],
  [
    "an event of too many values",
    (project) => post(server, project, "store", `{"exception":{"values":[${"{},".repeat(349_000)}{}]}}`),
    "refused error too_many_values 1",
  ],
  [
    "sessions of too many values together",
    (project) =>
      sendEnvelope(
        server,
        project,
        ["{}", ...Array(2).fill(`{"type":"sessions"}\n{"aggregates":[${"0,".repeat(30_000)}0]}`)].join("\n"),
      ),
    // The buckets of the first item are none.
    "left aside session extra 29901,left aside session no_counts 100,refused session too_many_values 1",
  ],
  [
    "a broken event beside a sound session",
    (project) => sendEnvelope(server, project, `{}\n{"type":"event"}\n{\n{"type":"session"}\n${soundSession()}`),
    "refused error malformed 1",
  ],
];

function soundSession(): string {
  return JSON.stringify({ sid: newEventId(), started: new Date().toISOString(), attrs: { release: "counted@1" } });
}

/** An envelope that names its key in its own header alone, with an event that is broken. */
function sendTunnelled(projectId: number, dsn: string) {
  const body = `${JSON.stringify({ dsn })}\n{"type":"event"}\n{`;
  return http(`${server.url}/api/${projectId}/envelope/`, { method: "POST", body });
}

for (const [claim, send, outcome] of refused) {
  test(`${claim} is counted`, async () => {
    const project = await createProject(server);
    await send(project);
    assert.is((await outcomesOf(project)).join(), outcome);
  });
}

test("requests that name no key are counted in the metrics, and not for the project that they name", async () => {
  const project = await createProject(server);
  const refusedOf = async (reason: string) => {
    const { text } = await http(`${server.url}/-/metrics`);
    const counts = text.matchAll(
      new RegExp(`^faultline_events_refused_total\\{[^}]*reason="${reason}"\\} (\\d+)$`, "gm"),
    );
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  const reasons = ["no_key", "two_dsns", "malformed"];
  const counts = () => Promise.all(reasons.map(refusedOf));
  const before = await counts();
  const anonymous = (path: string, body: string) =>
    http(`${server.url}/api/${project.id}/${path}`, { method: "POST", body });
  const answers = [
    await anonymous("store/", "{}"),
    await anonymous("envelope/", "{}\n"),
    await anonymous("security/", "{}"),
    await anonymous(`store/?sentry_key=${project.key}&sentry_key=${wrongKey}`, "{}"),
    await anonymous("envelope/", "x"),
    await anonymous("envelope/", `{"dsn":"http://${wrongKey}@127.0.0.1/${project.id + 1}"}\n`),
  ];
  assert.equal(
    answers.map(({ status }) => status),
    [401, 401, 401, 401, 400, 400],
  );
  assert.equal(await outcomesOf(project), []);
  const since = await counts();
  assert.equal(
    since.map((count, index) => count - (before[index] ?? 0)),
    [3, 2, 1],
  );

  await sendStore(server, { id: project.id, key: wrongKey }, event());
  const ended = new AbortController();
  const answered = client.outcomes.watchRefusals({ projectId: project.id }, { ...client.auth, signal: ended.signal });
  for await (const { refusals, count } of answered) {
    assert.equal([refusals.map(({ reason }) => reason), count], [["unknown_key"], 1]);
    break;
  }
  ended.abort();
});

/** The answer to every guess, byte for byte. */
const guessed = '{"detail":"The DSN is not accepted: check its key and project.","causes":[]}';

const external = {
  active: true,
  integrated: false,
  api_url: "https://sentry.example.com",
  token: "a-token-of-the-external-system",
  project: { slug: "shop", organization_slug: "acme" },
};
const closings: [claim: string, close: (id: number) => ReturnType<typeof rest>, reason: string, sentence: string][] = [
  [
    "Active is off",
    (id) => rest(server, `PATCH /projects/${id}/error_tracking/settings?active=false`),
    "not_active",
    "The DSN is right, but error tracking is not active in this project. A maintainer can turn it on in Settings > Monitor > Error Tracking.",
  ],
  [
    "Monitor is off",
    (id) => rest(server, `PUT /projects/${id}?monitor_access_level=disabled`),
    "monitor_off",
    "The DSN is right, but Monitor is turned off for this project. A maintainer can turn it on in Settings > General.",
  ],
  [
    "the external backend is chosen",
    (id) =>
      rest(server, `PUT /projects/${id}/error_tracking/settings`, {
        body: { ...external, project: { ...external.project, slug: `shop-${id}` } },
      }),
    "external_backend",
    "The DSN is right, but this project reads its errors from an external system and does not accept events. Use a DSN of that system.",
  ],
];
for (const [claim, close, reason, sentence] of closings) {
  test(`while ${claim} the holder of a valid DSN learns it from each endpoint, and a guess learns nothing`, async () => {
    const [project, open] = [await createProject(server), await createProject(server)];
    const { status, text } = await close(project.id);
    assert.is(status, 200, text);

    const header = { dsn: project.dsn };
    const tunnelled = `${JSON.stringify(header)}\n{"type":"event"}\n{}`;
    const right = [
      sendStore(server, project, event()),
      sendEnvelope(server, project, envelope(newEventId(), [{ type: "event" }, event()])),
      http(`${server.url}/api/${project.id}/envelope/`, { method: "POST", body: tunnelled }),
      http(`${server.url}/api/store/?sentry_key=${project.key}`, { method: "POST", body: "{}" }),
    ];
    for (const answer of await Promise.all(right)) {
      assert.equal([answer.status, answer.json], [403, { detail: sentence, causes: [] }]);
      assert.is(answer.headers["x-sentry-error"], sentence);
    }

    const deleted = await createKey(server, project.id);
    await rest(server, `DELETE /projects/${project.id}/error_tracking/client_keys/${deleted.keyId}`);
    const guesses = [
      { id: project.id, key: wrongKey },
      { id: project.id, key: `flck_${wrongKey}` },
      { id: project.id, key: open.key },
      { id: project.id, key: deleted.key },
      { id: open.id, key: project.key },
      { id: 99_999, key: project.key },
    ];
    for (const guess of guesses) {
      const answer = await sendStore(server, guess, event());
      assert.equal([answer.status, answer.text], [403, guessed]);
      assert.is(answer.headers["x-sentry-error"], "The DSN is not accepted: check its key and project.");
    }
    const reasons = (await outcomesOf(project)).filter((outcome) => outcome.startsWith("refused error"));
    assert.equal(reasons.toSorted(), [`refused error ${reason} 1`, "refused error unknown_key 4"].toSorted());
  });
}

test("the DSN of a deleted project is refused as a guess is", async () => {
  const project = await createProject(server);
  await rest(server, `PATCH /projects/${project.id}/error_tracking/settings?active=false`);
  await rest(server, `DELETE /projects/${project.id}`);
  const answer = await sendStore(server, project, event());
  assert.equal([answer.status, answer.text], [403, guessed]);
});

test("a person who waits for the first event reads why a valid DSN is refused", async () => {
  const project = await createProject(server);
  await rest(server, `PUT /projects/${project.id}?monitor_access_level=disabled`);
  await sendStore(server, project, event());
  const ended = new AbortController();
  const answers = client.outcomes.watchRefusals({ projectId: project.id }, { ...client.auth, signal: ended.signal });
  for await (const { refusals } of answers) {
    const [first] = refusals;
    assert.is(first?.reason, "monitor_off");
    assert.match(first?.message ?? "", "Monitor is turned off");
    break;
  }
  ended.abort();
});

test("items that are not kept are counted by category, containers by what they hold", async () => {
  const project = await createProject(server);
  const text = envelope(
    newEventId(),
    [{ type: "event" }, event()],
    [{ type: "event" }, event()],
    [{ type: "transaction" }, {}],
    [{ type: "attachment", filename: "a.txt" }, {}],
    [{ type: "attachment", filename: "b.txt" }, {}],
    [{ type: "log", item_count: 7 }, {}],
    [{ type: "check_in" }, {}],
    [{ type: "foo" }, {}],
  );
  assert.is((await sendEnvelope(server, project, text)).status, 200);
  assert.equal(await outcomesOf(project), [
    "left aside attachment not_kept 2",
    "left aside default not_kept 1",
    "left aside error extra 1",
    "left aside log_item not_kept 7",
    "left aside monitor not_kept 1",
    "left aside transaction not_kept 1",
  ]);
});

test("a transaction is counted as left aside at both endpoints", async () => {
  const project = await createProject(server);
  const transaction = { ...event(), type: "transaction" };
  await sendStore(server, project, transaction);
  await sendEnvelope(server, project, envelope(transaction.event_id, [{ type: "event" }, transaction]));
  assert.equal(await outcomesOf(project), ["left aside transaction not_kept 2"]);
});

test("client reports are counted by the SDK's words; unknown words become one, so that nobody fills the table", async () => {
  const project = await createProject(server);
  const discarded = [
    { reason: "ratelimit_backoff", category: "error", quantity: 3 },
    { reason: "ratelimit_backoff", category: "error", quantity: 2 },
    { reason: "network_error", category: "session", quantity: 1 },
    { reason: "x".repeat(1000), category: "y", quantity: 4 },
    { reason: "before_send", category: "error", quantity: -1 },
    { reason: "before_send", category: "error", quantity: 1e9 },
    { reason: "before_send", category: "transaction", quantity: "5" },
    null,
    7,
  ];
  const text = envelope(undefined, [{ type: "client_report" }, { timestamp: 1, discarded_events: discarded }]);
  assert.is((await sendEnvelope(server, project, text)).status, 200);
  assert.equal(await outcomesOf(project), [
    "left aside default unreadable 4",
    "not sent default other 4",
    "not sent error before_send 1000000",
    "not sent error ratelimit_backoff 5",
    "not sent session network_error 1",
  ]);
});

test("broken client reports are no fault of the request", async () => {
  const project = await createProject(server);
  for (const report of ["{", "[]", '{"discarded_events":{}}', ""]) {
    const answer = await sendEnvelope(server, project, `{}\n{"type":"client_report"}\n${report}`);
    assert.is(answer.status, 200, answer.text);
  }
});

test("counts lie in the hours of the window", async () => {
  const project = await createProject(server);
  await post(server, project, "store", "{");
  const { refusedPerHour } = await client.outcomes.listOutcomes({ projectId: project.id, hourCount: 3 }, client.auth);
  assert.is(refusedPerHour.length, 3);
  assert.is(refusedPerHour[1] ?? 0, 0);
  assert.is((refusedPerHour.at(-1) ?? 0) + (refusedPerHour.at(-2) ?? 0), 1);
  await rejects(
    client.outcomes.listOutcomes({ projectId: project.id, hourCount: 2161 }, client.auth),
    "INVALID_ARGUMENT",
  );
});

test("counts survive a restart", async () => {
  const own = await startServer();
  const project = await createProject(own);
  await post(own, project, "store", "{");
  await own.stop();
  const again = await startServer({ dataDir: own.dataDir });
  const reader = grpcClient(again);
  try {
    const { outcomes } = await reader.outcomes.listOutcomes({ projectId: project.id }, reader.auth);
    assert.equal(
      outcomes.map(({ reason, quantity }) => [reason, quantity]),
      [["malformed", 1n]],
    );
  } finally {
    reader.close();
    await again.stop();
  }
});

test("counts wait while the database is locked, what is stored can be read meanwhile, and none is lost", async () => {
  const project = await createProject(server);
  await post(server, project, "store", "{");
  assert.equal(await outcomesOf(project), ["refused error malformed 1"]);
  const giveBack = await takeDatabase(server.dataDir);
  try {
    await post(server, project, "store", "{");
    assert.equal(await outcomesOf(project), ["refused error malformed 1"]); // its own save has failed by now
  } finally {
    await giveBack();
  }
  assert.equal(await outcomesOf(project), ["refused error malformed 2"]);
});

test("a missing project has no outcomes, and leaves none for a later project", async () => {
  const project = await createProject(server);
  const next = project.id + 1;
  for (const id of [next, 99_999, 0]) await sendStore(server, { id, key: wrongKey }, event());
  await rejects(client.outcomes.listOutcomes({ projectId: 99_999 }, client.auth), "NOT_FOUND");
  await outcomesOf(project); // writes what was counted
  const made = await createProject(server);
  assert.is(made.id, next);
  assert.equal(await outcomesOf(made), []);
});

test("refusals are reported as they happen, after the refusals of the last minutes, without the key", async () => {
  const project = await createProject(server);
  await sendStore(server, { id: project.id, key: wrongKey }, event());
  const ended = new AbortController();
  const reported: Refusal[] = [];
  const watching = (async () => {
    const answers = client.outcomes.watchRefusals({ projectId: project.id }, { ...client.auth, signal: ended.signal });
    for await (const { refusals } of answers) reported.push(...refusals);
  })().catch((error: unknown) => {
    if (!ended.signal.aborted) throw error;
  });
  await until("the first refusal", () => reported.length === 1);
  await post(server, project, "store", "{");
  await until("the second refusal", () => reported.length === 2);
  ended.abort();
  await watching;
  const [first, second] = reported;
  assert.equal([first?.reason, first?.ipAddress, first?.sdk], ["unknown_key", "127.0.0.1", "faultline.test/1.0"]);
  assert.match(first?.message ?? "", "check its key");
  assert.equal([second?.reason, second?.category], ["malformed", "error"]);
  assert.not.match(JSON.stringify(reported.map(({ message, sdk }) => [message, sdk])), wrongKey);
});

test.run();
