// limit: 240 s
import {
  Backend,
  ErrorReason,
  ErrorSort,
  ErrorStatus,
  Permission,
  Role,
  type Error as StoredError,
} from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { fakeExternal } from "../../../support/external/fake-external.ts";
import type { GrpcClient } from "../../../support/core/grpc.ts";
import { linkedProject } from "../../../support/core/linked-project.ts";
import { movableClock, movableFaultline } from "../../../support/service/movable-faultline.ts";
import { newPerson } from "../../../support/core/person.ts";
import { rejects } from "../../../support/assert/rejects.ts";
import { newEventId, sendEvent } from "../../../support/sentry/send.ts";
import { until } from "../../../support/run/until.ts";

const clock = movableClock();
const slugs = Array.from({ length: 24 }, (_, n) => `shop-${n}`);
const projects = slugs.map((slug, n) => ({
  id: `${11 + n}`,
  slug,
  name: slug,
  organization: "acme",
  status: "active",
}));
const slow = await fakeExternal({ clock, projects, issues: [{ project: "11", type: "FarError", value: "far away" }] });
const quick = await fakeExternal({ clock, projects, issues: [{ project: "11", type: "NearError" }] });
const { client, faultline } = await movableFaultline(
  { outbound: { networks: ["127.0.0.0/8"], ports: [slow.port, quick.port] } },
  clock,
);
const server = { url: faultline.httpUrl };
test.after(async () => {
  await slow.close();
  await quick.close();
});
test.after.each(() => {
  for (const external of [slow, quick]) {
    external.answerAsUsual();
    assert.equal(external.complaints.splice(0), []);
  }
});

type Request = Parameters<GrpcClient["errors"]["listAllErrors"]>[0];
type Context = Parameters<GrpcClient["errors"]["listAllErrors"]>[1];

/** Reads a whole answer. */
async function listAll(request: Request, context: Context) {
  const parts = [];
  for await (const { part } of client.errors.listAllErrors(request, context)) parts.push(part);
  const [first, ...others] = parts;
  assert.is(first?.case, "asked", "the first message names who is asked");
  const asked = first?.case === "asked" ? first.value : undefined;
  const answers = others.flatMap((part) => (part.case === "answer" ? [part.value] : []));
  assert.is(answers.length, others.length, "each further message is an answer");
  assert.equal(
    answers.map(({ projectId }) => projectId).toSorted(),
    asked?.projects.map(({ projectId }) => projectId).toSorted(),
    "each project answers once",
  );
  return { asked: asked?.projects ?? [], leftOut: asked?.leftOut, answers };
}

/** A person and what makes projects of theirs, so that no test sees the projects of another. */
async function somebody(role: Role = Role.DEVELOPER) {
  const person = await newPerson(client);
  const join = async (projectId: number, as: Role = role) => {
    await client.members.addMember({ projectId, userId: person.userId, role: as }, client.auth);
  };
  return {
    person,
    call: { token: person.token },
    join,
    async stored(path: string, as: Role = role) {
      const { project } = await client.projects.createProject({ path }, client.auth);
      const projectId = project?.projectId ?? 0;
      await client.settings.updateSettings({ projectId, active: true, backend: Backend.INTEGRATED }, client.auth);
      await join(projectId, as);
      return projectId;
    },
    async linked(external: typeof slow, slug: string, path?: string) {
      const project = await linkedProject(client, external, { external: slug, ...(path !== undefined && { path }) });
      await join(project.projectId);
      return project;
    },
  };
}

/** Reports `count` events of an error, the newest `minutesAgo`. */
async function report(projectId: number, type: string, { minutesAgo = 1, count = 1 } = {}): Promise<void> {
  const { clientKeys } = await client.clientKeys.listClientKeys({ projectId }, client.auth);
  const key = /\/\/(\w+)@/.exec(clientKeys[0]?.dsn ?? "")?.[1] ?? "";
  for (let n = 0; n < count; n++) {
    const answer = await sendEvent(
      server,
      { id: projectId, key },
      {
        event_id: newEventId(),
        timestamp: clock.now() / 1000 - (minutesAgo + n) * 60,
        exception: { values: [{ type, value: `${type} happened` }] },
      },
    );
    assert.is(answer.status, 200, answer.text);
  }
}

const typesOf = (answers: readonly { errors: readonly StoredError[] }[]) =>
  answers.flatMap(({ errors }) => errors.map(({ type }) => type));

test("projects are asked in the order of their paths, and each answers for itself", async () => {
  const { call, stored } = await somebody();
  const b = await stored("order/b");
  const a = await stored("order/a");
  await report(a, "OfA");
  await report(b, "OfB");
  const { asked, answers, leftOut } = await listAll({}, call);
  assert.equal(
    asked.map(({ path, name, external, canUpdateStatus }) => ({ path, name, external, canUpdateStatus })),
    ["a", "b"].map((name) => ({ path: `order/${name}`, name, external: false, canUpdateStatus: true })),
  );
  assert.is(leftOut, 0);
  const ofB = answers.find(({ projectId }) => projectId === b);
  assert.equal(
    ofB?.errors.map(({ type, projectId }) => [type, projectId]),
    [["OfB", b]],
  );
  assert.is(ofB?.statusCounts?.unresolved, 1);
  assert.is(ofB?.refusal, undefined);
});

const sorts: [name: string, sort: ErrorSort, valueOf: (error: StoredError) => number][] = [
  ["last seen", ErrorSort.LAST_SEEN, ({ lastSeenTime }) => Number(lastSeenTime?.seconds)],
  ["first seen", ErrorSort.FIRST_SEEN, ({ firstSeenTime }) => Number(firstSeenTime?.seconds)],
  ["events", ErrorSort.EVENT_COUNT, ({ eventCount }) => eventCount],
  ["users", ErrorSort.USER_COUNT, ({ affectedUserCount }) => affectedUserCount],
];

test("in each of the four orders the answers hold the first errors of the whole", async () => {
  const { call, stored } = await somebody();
  const ids = [await stored("sorts/a"), await stored("sorts/b"), await stored("sorts/c")];
  for (const [n, id] of ids.entries()) {
    for (let error = 0; error < 6; error++) {
      await report(id, `E${n}${error}`, {
        minutesAgo: 1 + ((error * 7 + n * 5) % 19),
        count: 1 + ((error * 3 + n) % 5),
      });
    }
  }
  const whole = (
    await Promise.all(ids.map((projectId) => client.errors.listErrors({ projectId, pageSize: 100 }, call)))
  ).flatMap(({ errors }) => errors);
  assert.is(whole.length, 18);
  for (const [name, sort, valueOf] of sorts) {
    const first = (errors: readonly StoredError[]) =>
      errors
        .toSorted((a, b) => valueOf(b) - valueOf(a) || Number(b.errorId) - Number(a.errorId))
        .slice(0, 5)
        .map(({ type }) => type);
    const { answers } = await listAll({ sort, pageSize: 5 }, call);
    assert.ok(answers.every(({ errors }) => errors.length <= 5));
    assert.equal(first(answers.flatMap(({ errors }) => errors)), first(whole), name);
  }
});

test("one search and one status go to all projects", async () => {
  const { call, stored } = await somebody();
  const ids = [await stored("search/a"), await stored("search/b")];
  for (const id of ids) for (const type of ["Wanted", "Other"]) await report(id, type);
  assert.equal(typesOf((await listAll({ query: "wanted" }, call)).answers), ["Wanted", "Wanted"]);
  const [projectId = 0] = ids;
  const { errors } = await client.errors.listErrors({ projectId, query: "wanted" }, call);
  const changes = [{ errorId: errors[0]?.errorId ?? "", status: ErrorStatus.RESOLVED }];
  await client.errors.updateErrors({ projectId, changes }, call);
  const { answers } = await listAll({ status: ErrorStatus.RESOLVED }, call);
  assert.equal(answers.map(({ errors: some }) => some.map(({ type }) => type)).flat(), ["Wanted"]);
  assert.is(
    answers.reduce((sum, { statusCounts }) => sum + (statusCounts?.unresolved ?? 0), 0),
    3,
  );
});

test("projects are chosen by a part of their path or name", async () => {
  const { call, stored } = await somebody();
  for (const path of ["choose/one", "choose/two"]) await stored(path);
  const chosen = await listAll({ projectQuery: " TWO " }, call);
  assert.equal(
    chosen.asked.map(({ path }) => path),
    ["choose/two"],
  );
  assert.equal((await listAll({ projectQuery: "%" }, call)).asked, []);
});

test("only projects with errors that the caller may read and with working error tracking are asked", async () => {
  const { call, stored, join } = await somebody(Role.REPORTER);
  await stored("visible/reporter");
  await stored("visible/guest", Role.GUEST);
  const { memberRole } = await client.memberRoles.createMemberRole(
    { name: "Reading guest", baseRole: Role.GUEST, permissions: [Permission.READ_ERROR_TRACKING] },
    client.auth,
  );
  const custom = await stored("visible/custom", Role.GUEST);
  await client.members.updateMember(
    {
      projectId: custom,
      userId: (await client.accounts.getCurrentUser({}, call)).user?.userId ?? 0,
      role: Role.GUEST,
      memberRoleId: memberRole?.memberRoleId ?? 0,
    },
    client.auth,
  );
  const off = await stored("visible/monitor-off");
  await client.projects.updateProject({ projectId: off, monitorEnabled: false }, client.auth);
  const inactive = await stored("visible/inactive");
  await client.settings.updateSettings({ projectId: inactive, active: false }, client.auth);
  const { project: never } = await client.projects.createProject({ path: "visible/never-set-up" }, client.auth);
  await join(never?.projectId ?? 0);
  const gone = await stored("visible/gone");
  await client.projects.deleteProject({ projectId: gone }, client.auth);
  const { stored: ofAnother } = await somebody();
  await ofAnother("visible/of-another");
  const { asked } = await listAll({ projectQuery: "visible/" }, call);
  assert.equal(
    asked.map(({ path, canUpdateStatus }) => [path, canUpdateStatus]),
    [
      ["visible/custom", false],
      ["visible/reporter", false],
    ],
  );
  const all = await listAll({ projectQuery: "visible/" }, client.auth);
  assert.equal(
    all.asked.map(({ path }) => path),
    ["visible/custom", "visible/guest", "visible/of-another", "visible/reporter"],
  );
});

test("of 103 projects, the first 100 are asked and 3 are left out", async () => {
  const { call, stored } = await somebody();
  const paths = Array.from({ length: 103 }, (_, n) => `many/p${String(n).padStart(3, "0")}`);
  const ids: number[] = [];
  for (const path of paths) ids.push(await stored(path)); // if 400 calls ran simultaneously, the last would wait for all others
  await report(ids[99] ?? 0, "InTheHundredth");
  await report(ids[100] ?? 0, "InTheNext");
  const { asked, leftOut, answers } = await listAll({}, call);
  assert.equal(
    asked.map(({ path }) => path),
    paths.slice(0, 100),
  );
  assert.is(leftOut, 3);
  assert.equal(typesOf(answers), ["InTheHundredth"]);
  assert.ok(answers.every(({ refusal }) => refusal === undefined));
});

test("a search that no backend takes refuses the whole call", async () => {
  const { call, stored } = await somebody();
  await stored("long/search");
  for (const query of ["q".repeat(501), "is:open", '"never closed']) {
    assert.is((await rejects(listAll({ query }, call), "INVALID_ARGUMENT")).field, "query");
  }
  const refusal = await rejects(listAll({ projectQuery: "q".repeat(201) }, call), "INVALID_ARGUMENT");
  assert.is(refusal.reason, ErrorReason.INVALID_FIELD);
  assert.is(refusal.field, "project_query");
  await rejects(listAll({}, {}), "UNAUTHENTICATED");
});

test("a user who is in no project gets an empty list", async () => {
  const { call } = await somebody();
  assert.equal(await listAll({}, call), { asked: [], leftOut: 0, answers: [] });
});

test("a slow external system delays neither stored projects nor projects of another system", async () => {
  const { call, stored, linked } = await somebody();
  const here = await stored("own/asked-last");
  await report(here, "HereError");
  // As many as one system may be asked at the same time.
  for (const slug of slugs.slice(0, 16)) await linked(slow, slug);
  const far = await linked(quick, "shop-0", "near/asked-last");
  const held = slow.hold();
  const stream = client.errors.listAllErrors({}, call)[Symbol.asyncIterator]();
  const next = async () => {
    const { part } = (await stream.next()).value;
    return part.case === "answer" ? part.value : undefined;
  };
  await next();
  const first = [await next(), await next()];
  assert.equal(first.map((answer) => answer?.projectId).toSorted(), [here, far.projectId].toSorted());
  assert.equal(typesOf(first.flatMap((answer) => answer ?? [])).toSorted(), ["HereError", "NearError"]);
  await until("the calls to the slow system", () => held.waiting() >= 16);
  held.release();
  const others = [];
  for (let answer = await next(); others.push(answer) < 16; answer = await next());
  assert.equal(typesOf(others.flatMap((answer) => answer ?? [])), ["FarError"]);
  assert.is((await stream.next()).done, true);
});

test("a project with a failing external system says why, and the others answer", async () => {
  const { call, stored, linked } = await somebody();
  const here = await stored("failing/here");
  await report(here, "StillHere");
  const { projectId } = await linked(slow, "shop-16");
  const limited = await linked(quick, "shop-1");
  slow.answerWith({ status: 500, body: "a stack trace of theirs" });
  quick.answerWith({ status: 429, headers: { "Retry-After": "7" } });
  const { answers } = await listAll({}, call);
  const of = (id: number) => answers.find((answer) => answer.projectId === id);
  assert.equal(typesOf(answers), ["StillHere"]);
  assert.is(of(projectId)?.refusal?.reason, ErrorReason.EXTERNAL_UNREACHABLE);
  assert.not.match(of(projectId)?.refusal?.message ?? "", "theirs");
  assert.is(of(limited.projectId)?.refusal?.reason, ErrorReason.EXTERNAL_RATE_LIMITED);
  assert.is(of(limited.projectId)?.refusal?.retryAfterSeconds, 7);
  assert.is(of(here)?.refusal, undefined);
});

test("the last answer of a system is returned while it is down, and says since when", async () => {
  const { call, linked } = await somebody();
  await linked(quick, "shop-2");
  const readAt = clock.now();
  await listAll({}, call);
  clock.at += 120_000;
  quick.answerWith({ status: 503 });
  const { answers } = await listAll({}, call);
  assert.is(answers[0]?.refusal, undefined);
  assert.is(Number(answers[0]?.staleSinceTime?.seconds), readAt / 1000);
});

test("a caller who leaves ends the calls to external systems", async () => {
  const { call, linked } = await somebody();
  await linked(slow, "shop-17");
  let began = 0;
  let ended = 0;
  slow.answerWith((response) => {
    began += 1;
    response.once("close", () => (ended += 1));
  });
  const leaving = new AbortController();
  const stream = client.errors.listAllErrors({}, { ...call, signal: leaving.signal })[Symbol.asyncIterator]();
  await stream.next();
  const rest = stream.next();
  await until("a call to the external system", () => began > 0);
  leaving.abort();
  assert.is((await rest).done, true);
  await until("the end of each call", () => ended === began);
});

/** Lists while a project's external system does not answer, takes the right away, and lets it answer. */
async function listedAfter(
  { call, linked }: Awaited<ReturnType<typeof somebody>>,
  slug: string,
  takeAway: (projectId: number) => Promise<unknown>,
) {
  const { projectId } = await linked(quick, slug);
  const held = quick.hold();
  const stream = client.errors.listAllErrors({}, call)[Symbol.asyncIterator]();
  await stream.next();
  const rest = stream.next();
  await until("the call to the external system", () => held.waiting() > 0);
  await takeAway(projectId);
  held.release();
  const { part } = (await rest).value;
  return { projectId, answer: part.case === "answer" ? part.value : undefined };
}

test("people who are removed from a project during the request get nothing of it", async () => {
  const somebodyHere = await somebody();
  const { userId } = somebodyHere.person;
  const removed = await listedAfter(somebodyHere, "shop-3", (projectId) =>
    client.members.removeMember({ projectId, userId }, client.auth),
  );
  assert.is(removed.answer?.refusal?.reason, ErrorReason.PROJECT_NOT_FOUND);
  assert.equal(removed.answer?.errors, []);
  const lowered = await listedAfter(somebodyHere, "shop-4", (projectId) =>
    client.members.updateMember({ projectId, userId, role: Role.GUEST }, client.auth),
  );
  assert.is(lowered.answer?.refusal?.reason, ErrorReason.FORBIDDEN);
  assert.is(lowered.answer?.statusCounts, undefined);
});

test("people who stop being administrators get nothing as administrators, then or later", async () => {
  const { person, call } = await somebody();
  await client.users.updateUser({ userId: person.userId, isAdmin: true }, client.auth);
  const { projectId } = await linkedProject(client, quick, { external: "shop-5", path: "demoted/web" });
  const held = quick.hold();
  const stream = client.errors.listAllErrors({ projectQuery: "demoted/" }, call)[Symbol.asyncIterator]();
  await stream.next();
  const rest = stream.next();
  await until("the call to the external system", () => held.waiting() > 0);
  await client.users.updateUser({ userId: person.userId, isAdmin: false }, client.auth);
  held.release();
  const { part } = (await rest).value;
  assert.is(part.case === "answer" && part.value.refusal?.reason, ErrorReason.PROJECT_NOT_FOUND);
  await rejects(client.errors.listErrors({ projectId }, call), "NOT_FOUND");
});

test.run();
