import { OutcomeKind } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { runningServer } from "../support/service/flow.ts";
import { http, type HttpAnswer } from "../support/http/http.ts";
import { createKey, createProject, type Project } from "../support/core/project.ts";
import { envelope, newEventId, post, sendEnvelope, sendStore, sentryAuth } from "../support/sentry/send.ts";
import { refusedBecause } from "../support/assert/refused-because.ts";
import { promised } from "../support/run/deadlines.ts";
import { until } from "../support/run/until.ts";

/** One event a second and key, so a burst of ten. */
const perKey = 1;
const burst = 10 * perKey;
const { server, client } = await runningServer({
  env: {
    FAULTLINE_RATE_LIMIT_KEY: `${perKey}`,
    FAULTLINE_RATE_LIMIT_PROJECT: "2",
    FAULTLINE_TRUSTED_PROXIES: "127.0.0.0/8",
  },
});

const send = (project: Project) => sendStore(server, project, { event_id: newEventId(), message: "one of many" });

/** Sends until it is refused; all answers. */
async function sendAll(project: Project, one: (project: Project) => Promise<HttpAnswer> = send): Promise<HttpAnswer[]> {
  const answers: HttpAnswer[] = [];
  while (answers.at(-1)?.status !== 429 && answers.length < 5 * burst) answers.push(await one(project));
  return answers;
}

const session = (sid: string) =>
  [
    { type: "session" },
    { sid, init: true, started: new Date().toISOString(), status: "exited", attrs: { release: "limited@1" } },
  ] as const;

async function storedCount({ id }: Project): Promise<number> {
  const { errors } = await client.errors.listErrors({ projectId: id }, client.auth);
  return errors.reduce((sum, { eventCount }) => sum + eventCount, 0);
}

async function sessionCount({ id }: Project): Promise<number> {
  const { hours } = await client.releases.getSessionStats({ projectId: id }, client.auth);
  return hours.reduce((sum, { total }) => sum + total, 0);
}

async function refusedCount({ id }: Project, of = "error"): Promise<number> {
  const { outcomes } = await client.outcomes.listOutcomes({ projectId: id }, client.auth);
  const limited = outcomes.filter(
    ({ kind, reason, category }) => kind === OutcomeKind.REFUSED && reason === "rate_limit" && category === of,
  );
  return Number(limited.reduce((sum, { quantity }) => sum + quantity, 0n));
}

test("113: above its burst a key is refused with 429 and both headers, in whole numbers and without a space", async () => {
  const project = await createProject(server);
  const answers = await sendAll(project);
  const last = answers.at(-1);
  assert.is(last?.status, 429, last?.text);
  assert.is(last?.headers["retry-after"], "1");
  assert.is(last?.headers["x-sentry-rate-limits"], "1:error;default:key:rate_limit");
  assert.match(String(last?.headers["access-control-expose-headers"]), "x-sentry-rate-limits");
  assert.equal(last?.json, {
    detail: "This client key has reached its rate limit.",
    causes: ["Send again in 1 s."],
  });
  assert.ok(answers.length > burst, `${answers.length}`);
});

test("114: after the time that the answer names events are taken again", async () => {
  const project = await createProject(server);
  await sendAll(project);
  const taken = await until("an event is taken again", async () => (await send(project)).status === 200, {
    deadlineMs: promised(5_000),
    everyMs: 200,
  });
  assert.ok(taken);
});

test("115: from 90 % on, a 200 names the limit as well, without Retry-After, which would silence all categories", async () => {
  const project = await createProject(server);
  const taken = (await sendAll(project)).filter(({ status }) => status === 200);
  assert.is(taken[0]?.headers["x-sentry-rate-limits"], undefined);
  assert.is(taken.at(-1)?.headers["x-sentry-rate-limits"], "1:error;default:key:rate_limit");
  assert.is(taken.at(-1)?.headers["retry-after"], undefined);
});

test("112: if the event of an envelope is limited, the session is stored, with 200 and the header", async () => {
  const project = await createProject(server);
  await sendAll(project);
  const event = { event_id: newEventId(), message: "limited" };
  const text = envelope(event.event_id, [{ type: "event" }, event], [...session(newEventId())]);
  const answer = await sendEnvelope(server, project, text);
  assert.is(answer.status, 200, answer.text);
  assert.match(String(answer.headers["x-sentry-rate-limits"]), /^1:error;default:key:rate_limit$/);
  assert.is(answer.headers["retry-after"], undefined);
  const { releases } = await client.releases.listReleases({ projectId: project.id }, client.auth);
  assert.equal(
    releases.map(({ version, sessions }) => [version, sessions?.total]),
    [["limited@1", 1]],
  );
});

test("sessions have a separate limit: while they are refused, events are stored", async () => {
  const project = await createProject(server);
  const answers = await sendAll(project, (to) => sendEnvelope(server, to, envelope(undefined, session(newEventId()))));
  assert.is(answers.at(-1)?.headers["x-sentry-rate-limits"], "1:session:key:rate_limit");
  assert.is((await send(project)).status, 200);
});

/** Posts CSP reports of a page that blocks one thing a hundred times. */
const sendReports = ({ id, key }: Project) =>
  http(`${server.url}/api/${id}/security/?sentry_key=${key}`, {
    method: "POST",
    headers: { "Content-Type": "application/reports+json" },
    body: JSON.stringify(Array.from({ length: 100 }, (_, n) => cspReport(n))),
  });

const cspReport = (n: number) => ({
  type: "csp-violation",
  body: {
    documentURL: "https://shop.example/",
    effectiveDirective: "img-src",
    blockedURL: `https://${n}.example/a.png`,
  },
});

test("a flood of CSP reports has a separate limit: it is counted, and the real application's events are stored", async () => {
  const project = await createProject(server);
  const answers = [await sendReports(project), await sendReports(project), await sendReports(project)];
  assert.equal(
    answers.map(({ status }) => status),
    [200, 429, 429],
  );
  assert.match(String(answers[1]?.headers["x-sentry-rate-limits"]), /^\d+:security:key:rate_limit$/);
  const real = await send(project);
  assert.is(real.status, 200);
  assert.is(real.headers["x-sentry-rate-limits"], undefined);
  const stored = (await storedCount(project)) - 1;
  assert.ok(stored >= burst && stored < 2 * burst, `${stored}`);
  assert.is(await refusedCount(project, "security"), 300 - stored);
  assert.is(await refusedCount(project), 0);
});

/** Sends an event through a proxy that names the sender's address. */
const sendFrom = (address: string, { id, key }: Project) =>
  http(`${server.url}/api/${id}/store/`, {
    method: "POST",
    headers: { "X-Sentry-Auth": sentryAuth(key), "X-Forwarded-For": address },
    body: JSON.stringify({ event_id: newEventId(), message: "one of many" }),
  });

for (const [claim, isFirst] of [
  ["beside others", false],
  ["that came first and alone", true],
] as const) {
  test(`a network that floods a key ${claim} is refused, and the events of other networks are stored`, async () => {
    const project = await createProject(server);
    if (!isFirst) assert.is((await sendFrom("10.0.0.1", project)).status, 200);
    let host = 0;
    const answers = await sendAll(project, (to) => sendFrom(`203.0.113.${++host}`, to));
    assert.ok(isFirst ? answers.length > burst : answers.length <= burst, `${answers.length}`);
    for (let network = 1; network <= 4; network++) {
      const other = await sendFrom(`10.0.${network}.7`, project);
      assert.is(other.status, 200, other.text);
      assert.is(other.headers["x-sentry-rate-limits"], undefined);
      assert.is((await sendFrom("203.0.113.1", project)).status, 429);
    }
  });
}

test("a limited event alone in an envelope is refused with 429, whatever ignored items come with it", async () => {
  const project = await createProject(server);
  await sendAll(project);
  const event = { event_id: newEventId(), message: "limited" };
  const alone = await sendEnvelope(server, project, envelope(event.event_id, [{ type: "event" }, event]));
  assert.is(alone.status, 429, alone.text);
  const text = envelope(event.event_id, [{ type: "event" }, event], [{ type: "profile" }, {}]);
  assert.is((await sendEnvelope(server, project, text)).status, 429);
});

test("the keys of a project share its limit, which names itself", async () => {
  const project = await createProject(server);
  const other = { ...project, ...(await createKey(server, project.id)) };
  const third = { ...project, ...(await createKey(server, project.id)) };
  await sendAll(project);
  await sendAll(other);
  const [last] = (await sendAll(third)).slice(-1);
  assert.is(last?.headers["x-sentry-rate-limits"], "1:error;default:project:rate_limit");
  assert.match(last?.text ?? "", "This project has reached its rate limit");
});

test("a project that is limited does not limit another one", async () => {
  await sendAll(await createProject(server));
  assert.is((await send(await createProject(server))).status, 200);
});

test("every event is either stored or counted as refused", async () => {
  const project = await createProject(server);
  const answers = await Promise.all(Array.from({ length: 5 * burst }, () => send(project)));
  const of = (status: number) => answers.filter((answer) => answer.status === status).length;
  assert.is(of(200) + of(429), 5 * burst);
  assert.is(await storedCount(project), of(200));
  assert.is(await refusedCount(project), of(429));
});

for (const [claim, header, payload] of [
  ["client reports", { type: "client_report" }, { discarded_events: [] }],
  ["items that are not kept", { type: "transaction" }, {}],
] as const) {
  test(`${claim} alone have a limit too, and together with an event they take nothing from it`, async () => {
    const project = await createProject(server);
    const alone = await sendAll(project, (to) => sendEnvelope(server, to, envelope(undefined, [header, payload])));
    assert.is(alone[0]?.status, 200);
    assert.is(alone.at(-1)?.status, 429);
    assert.is(alone.at(-1)?.headers["x-sentry-rate-limits"], "1:default:key:rate_limit");
    const event = { event_id: newEventId(), message: "one of many" };
    const both = envelope(event.event_id, [{ type: "event" }, event], [header, payload]);
    assert.is((await sendEnvelope(server, project, both)).status, 200);
  });
}

test("sessions that an SDK counted take as much as they have buckets, are never cut, and the time pays back what is beyond", async () => {
  const project = await createProject(server);
  const counted = (buckets: number) => {
    const started = new Date().toISOString();
    const aggregates = Array.from({ length: buckets }, (_, n) => ({ started, did: `user-${n}`, exited: 1 }));
    return [{ type: "sessions" }, { aggregates, attrs: { release: "counted@1" } }] as const;
  };
  const sendCounted = (buckets: number) => sendEnvelope(server, project, envelope(undefined, counted(buckets)));
  const headerOf = ({ headers }: HttpAnswer) => headers["x-sentry-rate-limits"];
  assert.is(headerOf(await sendCounted(6)), undefined);
  const whole = await sendCounted(60);
  assert.is(whole.status, 200);
  assert.match(String(headerOf(whole)), /^5\d:session:key:rate_limit$/);
  const refused = await sendCounted(1);
  assert.is(refused.status, 429, refused.text);
  assert.match(String(refused.headers["retry-after"]), /^5\d$/);
  assert.is((await send(project)).status, 200, "events have a limit of their own");
  assert.is(await sessionCount(project), 66);
});

test("of counted sessions in one envelope, everything after the first refused item is refused too, and each is counted", async () => {
  const project = await createProject(server);
  const started = new Date().toISOString();
  const item = (exited: number) => {
    const aggregates = Array.from({ length: burst }, () => ({ started, exited }));
    return [{ type: "sessions" }, { aggregates, attrs: { release: "r@1" } }] as const;
  };
  const answer = await sendEnvelope(server, project, envelope(undefined, item(1), item(2), item(3), session("4")));
  assert.is(answer.status, 200, answer.text);
  assert.is(await sessionCount(project), burst);
  assert.is(await refusedCount(project, "session"), 3);
});

test("malformed items count against the limit too, so a flood of them ends in 429", async () => {
  const project = await createProject(server);
  const answers = await sendAll(project, (to) => post(server, to, "store", "{"));
  assert.is(answers[0]?.status, 400);
  assert.is(answers.at(-1)?.status, 429);
});

test("services report ten times as many events of a project as SDKs may send, and of another project still", async () => {
  const [project, other] = [await createProject(server), await createProject(server)];
  const report = ({ id: projectId }: Project, count: number) =>
    client.ingest.reportEvents(
      { events: Array.from({ length: count }, () => ({ projectId, eventId: newEventId(), title: "Job failed" })) },
      client.auth,
    );
  await report(project, 199);
  await report(project, 200); // of what is left of ten seconds' worth, and then a debt of seconds
  const refusal = await refusedBecause("RATE_LIMITED", report(project, 1));
  assert.match(refusal.message, /^The project \d+ exceeded its limit of items per second\. Report/);
  assert.ok(refusal.retryAfterSeconds > 0);
  await report(other, 1);
  assert.is((await send(project)).status, 200);
});

test.run();
