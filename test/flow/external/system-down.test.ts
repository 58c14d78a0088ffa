import { timestamp } from "@faultline/plugin";
import { ErrorReason, ErrorStatus } from "@faultline/proto";
import { CallError } from "@faultline/proto/grpc";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { FakeProject } from "../../support/external/played-sentry/data.ts";
import { fakeExternal } from "../../support/external/fake-external.ts";
import { linkedProject, type LinkedProject } from "../../support/core/linked-project.ts";
import { movableClock, movableFaultline } from "../../support/service/movable-faultline.ts";
import { refusedBecause } from "../../support/assert/refused-because.ts";
import { until } from "../../support/run/until.ts";

/** An external system that is slow, away, or asks for patience: the tests wait for none of it. */

const clock = movableClock();
const projects = Array.from({ length: 40 }, (_, index): FakeProject => {
  return { id: `${index + 1}`, slug: `p${index + 1}`, name: "P", organization: "acme", status: "active" };
});
const issues = projects.map(({ id }) => ({ id: `${1000 + Number(id)}`, project: id }));
const fake = await fakeExternal({ clock, projects, issues });
const { client } = await movableFaultline({ outbound: { networks: ["127.0.0.0/8"], ports: [fake.port] } }, clock);
test.after(() => fake.close());

let project: LinkedProject;
let errorId: string;
let used = 0;

/** Each test has a separate external project, of which nothing is cached. */
async function newProject(): Promise<LinkedProject> {
  const external = projects[used++];
  errorId = `${1000 + Number(external?.id)}`;
  return linkedProject(client, fake, { external: external?.slug ?? "none" });
}

test.before.each(async () => {
  project = await newProject();
  fake.calls.length = 0;
});
test.after.each(() => fake.answerAsUsual());

const get = (signal?: AbortSignal) =>
  client.errors.getError({ projectId: project.projectId, errorId }, { ...client.auth, ...(signal && { signal }) });
const search = (query: string) => client.errors.listErrors({ projectId: project.projectId, query }, client.auth);
const resolve = () =>
  client.errors.updateErrors(
    { projectId: project.projectId, changes: [{ errorId, status: ErrorStatus.RESOLVED }] },
    client.auth,
  );

/** Makes the breaker of the project open: five answers in a row that say the system is ill. */
async function breakDown(): Promise<void> {
  fake.answerWith({ status: 500 });
  for (let n = 0; n < 5; n++) await get().catch(() => undefined);
}

test("an answer is good for five seconds, then it is asked for again", async () => {
  assert.is((await get()).staleSinceTime, undefined);
  clock.at += 4_999;
  await get();
  assert.is(fake.calls.length, 1);
  clock.at += 1;
  assert.is((await get()).staleSinceTime, undefined);
  assert.is(fake.calls.length, 2);
});

test("callers who ask the same at the same time share one call", async () => {
  const held = fake.hold();
  const all = Array.from({ length: 20 }, () => get());
  await until("the call", () => held.waiting());
  held.release();
  const answers = await Promise.all(all);
  assert.is(new Set(answers.map(({ error }) => error?.errorId)).size, 1);
  assert.is(fake.calls.length, 1);
});

const outages: [what: string, status: number, headers?: Record<string, string>][] = [
  ["fails", 500],
  ["is away behind its gateway", 502],
  ["says when it is back", 503, { "Retry-After": "30" }],
  ["limits requests", 429],
];
for (const [what, status, headers = {}] of outages) {
  test(`while the system ${what} the last answer is given, with its time, for ten minutes`, async () => {
    const readAt = clock.at;
    await get();
    await search("");
    fake.answerWith({ status, headers });
    clock.at += 60_000;
    const stale = await get();
    assert.equal(stale.staleSinceTime, timestamp(readAt));
    assert.is(stale.error?.errorId, errorId);
    assert.equal((await search("")).staleSinceTime, timestamp(readAt));
    await refusedBecause(
      status === 429 || status === 503 ? "EXTERNAL_RATE_LIMITED" : "EXTERNAL_UNREACHABLE",
      search("x"),
    );
    clock.at = readAt + 600_001;
    const refusal = await get().catch((thrown: unknown) => thrown);
    assert.instance(refusal, CallError);
  });
}

test("a connection that is refused is an outage too, and the system that comes back is asked again", async () => {
  await get();
  clock.at += 10_000;
  await fake.close();
  assert.ok((await get()).staleSinceTime);
  assert.is((await refusedBecause("EXTERNAL_UNREACHABLE", search("x"))).message, "Connection refused");
  await fake.comeBack();
  clock.at += 400_000;
  assert.is((await get()).staleSinceTime, undefined);
});

test("a wrong answer or a refused token is not an outage, so the last answer is not shown", async () => {
  await get();
  clock.at += 10_000;
  for (const [status, reason] of [
    [401, "EXTERNAL_TOKEN_REFUSED"],
    [403, "EXTERNAL_TOKEN_REFUSED"],
    [404, "ERROR_NOT_FOUND"],
    [302, "EXTERNAL_ANSWER_INVALID"],
  ] as const) {
    const back = fake.answerWith({ status });
    await refusedBecause(reason, get());
    back();
  }
  fake.answerWith({ body: "<html>" });
  assert.is((await refusedBecause("EXTERNAL_ANSWER_INVALID", get())).message, "Unexpected Error");
});

test("a change is never made on what was answered before, and forgets it", async () => {
  await get();
  fake.answerWith({ status: 500 });
  assert.is((await refusedBecause("EXTERNAL_UNREACHABLE", resolve())).message, "Sentry response status code: 500");
  fake.answerAsUsual();
  await get();
  assert.is(fake.calls.filter(({ method }) => method === "GET").length, 2, "the failed change did not write");
  await resolve();
  fake.answerWith({ status: 500 });
  await refusedBecause("EXTERNAL_UNREACHABLE", get());
});

test("an answer to a question from before a change is not kept", async () => {
  const stats = () => client.errors.getErrorStats({ projectId: project.projectId, errorId }, client.auth);
  const held = fake.hold({ on: /stats/ });
  const early = stats();
  await until("the early call", () => held.waiting());
  await resolve();
  held.release();
  await early;
  await stats();
  assert.is(fake.calls.filter(({ path }) => path.endsWith("/stats/")).length, 2);
});

test("new settings do not use answers from before", async () => {
  await get();
  await client.settings.updateSettings(
    { projectId: project.projectId, externalApiUrl: fake.url, externalAuthToken: fake.newToken() },
    client.auth,
  );
  fake.answerWith({ status: 500 });
  await refusedBecause("EXTERNAL_UNREACHABLE", get());
  assert.is(fake.calls.length, 2);
});

test("after five failures in a row nothing is sent for 10 s, then one trial; pauses double up to 5 minutes", async () => {
  await breakDown();
  assert.is(fake.calls.length, 5);
  let pauseMs = 10_000;
  for (const expected of [20_000, 40_000, 80_000, 160_000, 300_000, 300_000]) {
    const sent = fake.calls.length;
    clock.at += pauseMs - 1;
    const refusal = await refusedBecause("EXTERNAL_UNREACHABLE", get());
    assert.is(refusal.message, "Sentry response status code: 500");
    assert.is(refusal.retryAfterSeconds, 1);
    assert.is(fake.calls.length, sent, "nothing was sent");
    clock.at += 1;
    const trials = await Promise.allSettled([get(), search("a"), search("b"), search("c")]);
    assert.ok(trials.every(({ status }) => status === "rejected"));
    assert.is(fake.calls.length, sent + 1, "one trial was sent");
    pauseMs = expected;
  }
  fake.answerAsUsual();
  clock.at += pauseMs;
  await get();
  await search("a");
});

test("an answer between the failures, whatever it says, restarts the count", async () => {
  for (const status of [500, 500, 500, 500, 401, 500, 500, 500, 500]) {
    fake.answerWith({ status }, { times: 1 });
    await get().catch(() => undefined);
  }
  assert.is((await get()).error?.errorId, errorId);
  assert.is(fake.calls.length, 10);
});

test("calls that wait when the system asks for patience are not sent", async () => {
  const held = fake.hold();
  fake.answerWith({ status: 429, headers: { "Retry-After": "60" } });
  const all = Array.from({ length: 8 }, (_, n) =>
    client.errors.getError({ projectId: project.projectId, errorId: `${9000 + n}` }, client.auth),
  ).map((call) => refusedBecause("EXTERNAL_RATE_LIMITED", call));
  await until("four calls", () => held.waiting() === 4);
  held.release();
  await Promise.all(all);
  assert.is(fake.calls.length, 4);
});

test("a trial whose caller leaves does not prevent the next trial", async () => {
  await breakDown();
  fake.answerAsUsual();
  clock.at += 10_000;
  const held = fake.hold();
  const leaving = new AbortController();
  const left = get(leaving.signal).catch(() => "left");
  await until("the trial", () => held.waiting());
  leaving.abort();
  assert.is(await left, "left");
  held.release();
  await until("an answer", () => get().catch(() => undefined));
});

test("failures of one project do not keep calls of another from being sent", async () => {
  await breakDown();
  await refusedBecause("EXTERNAL_UNREACHABLE", get());
  fake.answerAsUsual();
  project = await newProject();
  assert.is((await get()).error?.errorId, errorId);
});

const retryAfters: [header: string | (() => string) | undefined, seconds: number][] = [
  ["28", 28],
  ["0", 1],
  [() => new Date(clock.at + 90_000).toUTCString(), 90],
  ["86400", 300],
  ["soon", 5],
  [undefined, 5],
];
for (const [given, seconds] of retryAfters) {
  const shown = typeof given === "function" ? "a date" : (given ?? "no time");
  test(`after a 429 with ${shown} nothing is sent for ${seconds} s, and refusals say so`, async () => {
    const header = typeof given === "function" ? given() : given;
    fake.answerWith({ status: 429, headers: header === undefined ? {} : { "Retry-After": header } }, { times: 1 });
    const refusal = await refusedBecause("EXTERNAL_RATE_LIMITED", get());
    assert.is(refusal.message, "Sentry response status code: 429");
    assert.is(refusal.retryAfterSeconds, seconds);
    clock.at += seconds * 1000 - 500;
    for (const call of [get, resolve, () => search("x")]) {
      assert.is((await refusedBecause("EXTERNAL_RATE_LIMITED", call())).retryAfterSeconds, 1);
    }
    assert.is(fake.calls.length, 1);
    clock.at += 500;
    await get();
  });
}

test("a project has four calls at the same time, more wait for their turn, and other projects do not wait for them", async () => {
  const held = fake.hold({ on: new RegExp(`/p${used}/`) });
  const all = ["a", "b", "c", "d", "e", "f"].map(search);
  await until("four calls", () => held.waiting() >= 4);
  const slow = project;
  project = await newProject();
  await get();
  await search("");
  assert.is(held.waiting(), 4);
  project = slow;
  held.release();
  await Promise.all(all);
  assert.is(fake.mostAtOnce(), 4);
});

/** Reads errors that nobody else reads; returns how each read ended. */
const getMany = (count: number, from: number, signal: AbortSignal, ended?: (refusal: CallError) => void) =>
  Array.from({ length: count }, (_, n) =>
    client.errors
      .getError({ projectId: project.projectId, errorId: `${from + n}` }, { ...client.auth, signal })
      .catch((refusal: CallError) => ended?.(refusal)),
  );

test("at most 60 callers wait, and callers who leave free their places", async () => {
  const held = fake.hold();
  const [staying, leaving] = [new AbortController(), new AbortController()];
  const running = getMany(4, 9100, staying.signal);
  await until("four calls", () => held.waiting() === 4);
  const full: string[] = [];
  const waiting = getMany(70, 9200, leaving.signal, ({ message }) => full.push(message));
  await until("ten refusals", () => full.length === 10);
  assert.ok(full.every((message) => message.startsWith("Too many calls are waiting for the external system")));
  leaving.abort();
  await Promise.all(waiting);
  const reasons: ErrorReason[] = [];
  const next = getMany(30, 9400, staying.signal, ({ reason }) => reasons.push(reason));
  await refusedBecause("INVALID_FIELD", search("is:asked-after-them"));
  assert.is(held.waiting(), 4, "the four are still served");
  held.release();
  await Promise.all([...running, ...next]);
  assert.equal(new Set(reasons), new Set([ErrorReason.ERROR_NOT_FOUND]));
});

test("callers that leave while they are served free their place, and the next equal read is sent again", async () => {
  const held = fake.hold();
  const leaving = new AbortController();
  const left = [...getMany(3, 9300, leaving.signal), get(leaving.signal).catch(() => undefined)];
  await until("four calls", () => held.waiting() === 4);
  leaving.abort();
  await Promise.all(left);
  const next = get();
  await until("a fifth call", () => held.waiting() === 5);
  held.release();
  assert.is((await next).error?.errorId, errorId);
});

test("all these calls were such as a well-behaved client makes", () => assert.equal(fake.complaints, []));

test.run();
