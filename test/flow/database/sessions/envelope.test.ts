import { gunzipSync, gzipSync } from "node:zlib";
import { OutcomeKind } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sharedServer } from "../../../support/service/flow.ts";
import { readCaptures, replay } from "../../../support/sentry/capture.ts";
import type { HttpAnswer } from "../../../support/http/http.ts";
import { createProject, type Project } from "../../../support/core/project.ts";
import { envelope, newEventId, sendEnvelope } from "../../../support/sentry/send.ts";
import { storedEventCount } from "../../../support/database/stored.ts";

type Json = Readonly<Record<string, unknown>>;

const { server, client } = await sharedServer();
let project: Project;

test.before.each(async () => {
  project = await createProject(server);
});

const attrs = { release: "shop@1.2.3", environment: "prod" };
const startedNow = () => new Date().toISOString();
const session = (fields: Json = {}) => ({ sid: newEventId(), started: startedNow(), attrs, ...fields });

async function send(...items: (readonly [type: string, payload: Json])[]): Promise<HttpAnswer> {
  const text = envelope(undefined, ...items.map(([type, payload]) => [{ type }, payload] as const));
  const answer = await sendEnvelope(server, project, text);
  assert.is(answer.status, 200, answer.text);
  return answer;
}
const sendSession = (fields: Json = {}) => send(["session", session(fields)]);

/** All sessions of the project as [healthy, errored, crashed, abnormal]. */
async function counts(): Promise<number[]> {
  const { hours } = await client.releases.getSessionStats({ projectId: project.id, hourCount: 168 }, client.auth);
  return (["healthy", "errored", "crashed", "abnormal"] as const).map((kind) =>
    hours.reduce((sum, hour) => sum + hour[kind], 0),
  );
}

const getEvent = async (eventId: string) =>
  (await client.errors.getEvent({ projectId: project.id, eventId }, client.auth)).event;

test("an update without a beginning makes the session, and the same one again changes nothing", async () => {
  const sent = session({ init: false, status: "exited", errors: 1 });
  for (let time = 0; time < 3; time++) await send(["session", sent]);
  assert.equal(await counts(), [0, 1, 0, 0]);
});

test("Node's way: a beginning, then updates without sequence, an end last", async () => {
  const sid = newEventId();
  const ip = { ...attrs, ip_address: "{{auto}}" };
  await sendSession({ sid, init: true, status: "ok", attrs: ip });
  await sendSession({ sid, init: false, status: "ok", errors: 1, attrs: ip });
  await sendSession({ sid, init: false, status: "exited", errors: 1, attrs: ip });
  await sendSession({ sid, init: true, status: "ok", attrs: ip }); // sent again by a proxy
  assert.equal(await counts(), [0, 1, 0, 0]);
});

test("an older sequence after the end is passed over", async () => {
  const sid = newEventId();
  await sendSession({ sid, seq: 5, status: "crashed" });
  await sendSession({ sid, seq: 3, status: "exited" });
  assert.equal(await counts(), [0, 0, 1, 0]);
});

test("32 digits, or a hyphenated UUID in any case, are the same session", async () => {
  await sendSession({ sid: "0123456789abcdef0123456789abcdef", seq: 0 });
  await sendSession({ sid: "01234567-89AB-CDEF-0123-456789ABCDEF", seq: 1, status: "abnormal" });
  assert.equal(await counts(), [0, 0, 0, 1]);
});

test("a status that is not known is the end of a session with errors", async () => {
  await sendSession({ status: "foo" });
  assert.equal(await counts(), [0, 1, 0, 0]);
});

const dropped: [claim: string, fields: Json][] = [
  ["without a release", { attrs: { environment: "prod" } }],
  ["without attributes", { attrs: null }],
  ["without a start", { started: null }],
  ["whose start is no time", { started: "yesterday" }],
  ["that started six days ago", { started: new Date(Date.now() - 6 * 86_400_000).toISOString() }],
  ["that starts in an hour", { started: new Date(Date.now() + 3_600_000).toISOString() }],
];
for (const [claim, fields] of dropped) {
  test(`a session ${claim} is dropped, and no other`, async () => {
    await send(["session", session(fields)], ["session", session()]);
    assert.equal(await counts(), [1, 0, 0, 0]);
  });
}

test("users differ by the id that the SDK sends, number or text", async () => {
  for (const did of [null, 42, "42", "43", ""]) await sendSession({ did });
  await sendSession({ did: 42, status: "crashed" });
  const { releases } = await client.releases.listReleases({ projectId: project.id }, client.auth);
  assert.equal([releases[0]?.userCount, releases[0]?.crashedUserCount, releases[0]?.crashFreeUsers], [2, 1, 50]);
});

test("a person with two spellings of an e-mail or IP address is one user of a release", async () => {
  for (const did of ["Ann@Ex.com", "ann@ex.com", "::1", "0:0:0:0:0:0:0:1", "Id", "id"]) await sendSession({ did });
  const { releases } = await client.releases.listReleases({ projectId: project.id }, client.auth);
  assert.is(releases[0]?.userCount, 4);
});

test("counted sessions are added up; a bucket with a bad number is left out alone", async () => {
  const bucket = (fields: Json) => ({ started: startedNow(), ...fields });
  const aggregates = [
    bucket({ exited: 2, errored: 1 }),
    ...[-1, 1.5, 1e20, "3"].map((exited) => bucket({ exited, crashed: 9 })),
    bucket({ crashed: 1, abnormal: 1 }),
  ];
  await send(["sessions", { attrs, aggregates }], ["sessions", { attrs, aggregates: [] }]);
  assert.equal(await counts(), [2, 1, 1, 1]);
});

test("Java's way: event and session in one envelope, sent again with the next event", async () => {
  const update = ["session", session({ seq: 1, errors: 1 })] as const;
  for (const event of ["one", "two", "two"]) {
    const fields = { event_id: event === "one" ? "1".repeat(32) : "2".repeat(32), message: "boom" };
    await send(["event", fields], update);
  }
  assert.equal(await counts(), [0, 1, 0, 0]);
  assert.is(await storedEventCount(client, project.id), 2);
});

/** A captured body with sessions that start now, in as many digits, because the real start is long past. */
function startedToday(body: Buffer): Buffer {
  const isGzip = body[0] === 0x1f;
  const text = (isGzip ? gunzipSync(body) : body).toString();
  const moved = text.replace(/(?<="started":")[^"]*(?=Z")/g, ({ length }) =>
    startedNow().slice(0, -1).padEnd(length, "0"),
  );
  return isGzip ? gzipSync(moved) : Buffer.from(moved);
}

test("the sessions that the SDKs of Python and Rust sent are counted", async () => {
  const sessions = readCaptures().filter(({ name }) => /(python|rust).*sessions/.test(name));
  assert.is(sessions.length, 4);
  for (const capture of sessions) {
    const answer = await replay(server, project, { ...capture, body: startedToday(capture.body) });
    assert.is(answer.status, 200, answer.text);
  }
  const [release, ...others] = (await client.releases.listReleases({ projectId: project.id }, client.auth)).releases;
  assert.equal([release?.version, others], ["shop@1.2.3", []]);
  assert.equal(await counts(), [4, 2, 2, 0]);
});

const report = (event_id: string, fields: Json = {}) =>
  ["user_report", { event_id, name: "Ann", email: "ann@h.example", comments: "It broke.", ...fields }] as const;

test("feedback is shown with the event, even if it came first, and once if it is sent again", async () => {
  const event_id = newEventId();
  await send(report(event_id));
  await send(["event", { event_id, message: "boom" }], report(event_id), report(event_id, { comments: "Again." }));
  await send(report(event_id));
  const feedback = (await getEvent(event_id))?.feedback ?? [];
  assert.equal(
    feedback.map(({ name, email, comments, eventId }) => [name, email, comments, eventId]),
    [
      ["Ann", "ann@h.example", "It broke.", event_id],
      ["Ann", "ann@h.example", "Again.", event_id],
    ],
  );
});

test("an event keeps 20 entries of feedback, and more are counted as left aside", async () => {
  const other = newEventId();
  const event_id = newEventId();
  await send(["event", { event_id, message: "boom" }], report(other));
  const entry = (n: number) => report(event_id, { comments: `${n}` });
  for (let n = 0; n < 15; n++) await send(entry(n));
  await send(
    entry(3),
    entry(15),
    entry(16),
    entry(15),
    report(other, { comments: "Elsewhere." }),
    entry(17),
    entry(18),
  );
  await send(entry(19), entry(20), entry(21), entry(20), entry(4));
  await send(entry(22));
  const feedback = (await getEvent(event_id))?.feedback ?? [];
  assert.equal(
    feedback.map(({ comments }) => comments),
    Array.from({ length: 20 }, (_, n) => `${n}`),
  );
  const { outcomes } = await client.outcomes.listOutcomes({ projectId: project.id }, client.auth);
  assert.equal(
    outcomes.map(({ kind, category, reason, quantity }) => [kind, category, reason, quantity]),
    [[OutcomeKind.LEFT_ASIDE, "feedback", "too_many", 3n]],
  );

  project = await createProject(server);
  await send(["event", { event_id, message: "boom" }]);
  assert.equal((await getEvent(event_id))?.feedback, []);
});

test("feedback about two projects' events of one id is counted apart", async () => {
  const event_id = newEventId();
  for (let n = 0; n < 20; n++) await send(report(event_id, { comments: `${n}` }));
  project = await createProject(server);
  await send(["event", { event_id, message: "boom" }], report(event_id));
  assert.is((await getEvent(event_id))?.feedback.length, 1);
});

test.run();
