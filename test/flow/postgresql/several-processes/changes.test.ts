import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ErrorReason, ErrorStatus, Role, type Refusal, type WatchErrorsResponse } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { errorEvent } from "../../../support/sentry/error-event.ts";
import { errorReceiver } from "../../../support/external/error-receiver.ts";
import { newUser } from "../../../support/service/movable-faultline.ts";
import { freshDatabase, withPostgresql } from "../../../support/database/postgresql.ts";
import { createKey, createProject, type Project } from "../../../support/core/project.ts";
import { rejects } from "../../../support/assert/rejects.ts";
import { newEventId, post, sendEvent, type Target } from "../../../support/sentry/send.ts";
import { killAll, startProcesses, type Process } from "../../../support/service/several-processes.ts";
import { promised } from "../../../support/run/deadlines.ts";
import { until } from "../../../support/run/until.ts";

const url = await freshDatabase();
const receiver = await errorReceiver();
const processes = await startProcesses([url, url], {
  FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8",
  FAULTLINE_OUTBOUND_PORTS: new URL(receiver.dsn).port,
});
test.after(async () => {
  await killAll(processes);
  await receiver.close();
});
const [here, there] = processes as [Process, Process];

/** The promise: a change takes effect everywhere within a second. */
const withinSecond = { deadlineMs: promised(1_000), everyMs: 10 };

const event = (message = "one of many") => ({ event_id: newEventId(), message });
const status = async ({ server }: Process, to: Target) => (await sendEvent(server, to, event())).status;

test("a client key that is deleted in one process is refused in the other, and one that is made is accepted", async () => {
  const project = await createProject(here.server);
  assert.is(await status(there, project), 200);
  await here.client.clientKeys.deleteClientKey({ projectId: project.id, keyId: project.keyId }, here.client.auth);
  await until("the key is refused", async () => (await status(there, project)) === 403, withinSecond);
  const key = await createKey(here.server, project.id);
  assert.is(await status(there, { id: project.id, ...key }), 200);
});

test("a client key that is disabled in one process is refused in the other within a second, and taken once it is enabled", async () => {
  const { client } = here;
  const project = await createProject(here.server);
  const key = { projectId: project.id, keyId: project.keyId };
  assert.is(await status(there, project), 200);
  await client.clientKeys.updateClientKey({ ...key, active: false }, client.auth);
  await until("the key is refused", async () => (await status(there, project)) === 403, withinSecond);
  assert.is(await status(here, project), 403);
  await client.clientKeys.updateClientKey({ ...key, active: true }, client.auth);
  await until("the key is taken", async () => (await status(there, project)) === 200, withinSecond);
});

test("the limit of a client key holds for all processes together, and its traffic counts what came to each", async () => {
  const { client } = here;
  const project = await createProject(here.server);
  const key = { projectId: project.id, keyId: project.keyId };
  await client.clientKeys.updateClientKey({ ...key, eventsPerDay: 10 }, client.auth);
  const taken = async (by: Process) => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => status(by, project)));
    return answers.filter((answer) => answer === 200).length;
  };
  assert.is(await taken(here), 5);
  const refused = async () => {
    await taken(there);
    return (await status(here, project)) === 429;
  };
  // Processes announce what they took each quarter of a second: what is sent until then may pass.
  await until("the other process refuses what is beyond both", refused, { everyMs: 500 });
  await until("both are counted", async () => {
    const { eventsPerHour } = await client.clientKeys.getClientKeyTraffic(key, client.auth);
    const events = eventsPerHour.reduce((sum, count) => sum + count, 0);
    return events >= 10 && events <= 15; // what comes in a quarter of a second may pass beyond it
  });
});

test("settings and projects that change in one process change what the other accepts", async () => {
  const { client } = here;
  const project = await createProject(here.server);
  const { id: projectId } = project;
  const accepted = (is: number) => until(`a ${is}`, async () => (await status(there, project)) === is, withinSecond);
  await accepted(200);
  await client.settings.updateSettings({ projectId, active: false }, client.auth);
  await accepted(403);
  await client.settings.updateSettings({ projectId, active: true }, client.auth);
  await accepted(200);
  await client.projects.updateProject({ projectId, monitorEnabled: false }, client.auth);
  await accepted(403);
  await client.projects.updateProject({ projectId, monitorEnabled: true }, client.auth);
  await accepted(200);
  await client.projects.deleteProject({ projectId }, client.auth);
  await accepted(403);
});

test("an inbound filter that is saved in one process stops events in the other, and lets them in again", async () => {
  const { client } = here;
  const project = await createProject(here.server);
  const { id: projectId } = project;
  const stoppedCount = async () => {
    assert.is(await status(there, project), 200);
    const { outcomes } = await there.client.outcomes.listOutcomes({ projectId }, client.auth);
    return outcomes.reduce((sum, { quantity }) => sum + quantity, 0n);
  };
  assert.is(await stoppedCount(), 0n);
  await client.filters.updateFilters({ projectId, messages: { entries: ["one of *"] } }, client.auth);
  await until("the filter holds there", async () => (await stoppedCount()) > 0n, withinSecond);
  await client.filters.updateFilters({ projectId, messages: { entries: [] } }, client.auth);
  const isLetIn = async () => {
    const before = await stoppedCount();
    return (await stoppedCount()) === before;
  };
  await until("events are let in there", isLetIn, withinSecond);
});

test("tokens, sessions, roles and users that change in one process change what the other allows", async () => {
  const { client } = here;
  const { id: projectId } = await createProject(here.server);
  const user = await newUser(client);
  const named = { projectId, userId: user.userId };
  const read = (context: { token: string }) => there.client.errors.listErrors({ projectId }, context);
  const refused = (code: "NOT_FOUND" | "UNAUTHENTICATED", context: { token: string }) =>
    until(`${code}`, () => rejects(read(context), code).catch(() => undefined), withinSecond);

  await rejects(read(user.auth), "NOT_FOUND");
  await client.members.addMember({ ...named, role: Role.REPORTER }, client.auth);
  await until("the member may read", () => read(user.auth).catch(() => undefined), withinSecond);
  await client.members.removeMember(named, client.auth);
  await refused("NOT_FOUND", user.auth);
  await client.members.addMember({ ...named, role: Role.REPORTER }, client.auth);
  await until("the member may read", () => read(user.auth).catch(() => undefined), withinSecond);

  await read(user.session);
  await client.accounts.signOut({}, user.session);
  await refused("UNAUTHENTICATED", user.session);
  await client.users.updateUser({ userId: user.userId, isBlocked: true }, client.auth);
  await refused("UNAUTHENTICATED", user.auth);
});

test("each process reports its own failures to the address that one of them was given", async () => {
  const set = (fields: { dsn?: string; enabled: boolean }) =>
    here.client.instance.updateOwnErrorReporting(fields, here.client.auth);
  const hide = (from: string, to: string) =>
    withPostgresql(url, (client) => client.query(`alter table ${from} rename to ${to}`));
  await set({ dsn: receiver.dsn, enabled: true });
  await hide("member_role", "hidden");
  const fail = () => rejects(there.client.memberRoles.listMemberRoles({}, there.client.auth), "INTERNAL");
  await until("the report", async () => receiver.events.length > 0 || void (await fail()), { everyMs: 100 });
  await hide("hidden", "member_role");
  await set({ enabled: false });
  assert.equal(receiver.complaints, []);
});

/**
 * Watches errors in a process. Resolves with the first message, because nothing else shows that the watch has begun.
 */
async function watch({ client }: Process, project: Project) {
  const ended = new AbortController();
  const responses: WatchErrorsResponse[] = [];
  const context = { ...client.auth, signal: ended.signal };
  const listening = (async () => {
    for await (const response of client.errors.watchErrors({ projectId: project.id }, context))
      responses.push(response);
  })().catch((error: unknown) => {
    if (!ended.signal.aborted) throw error;
  });
  await until("the watch to begin", async () => responses.length > 0 || void (await status(here, project)), {
    everyMs: 100,
  });
  return {
    responses,
    hears: (title: string, as: ErrorStatus = ErrorStatus.UNRESOLVED) =>
      until(`news of ${title}`, () =>
        responses.flatMap(({ errors }) => errors).find((error) => error.title === title && error.status === as),
      ),
    async cancel() {
      ended.abort();
      await listening;
    },
  };
}

test("watchers in one process hear what the other stores or resolves, and nothing of other projects", async () => {
  const project = await createProject(here.server);
  const watcher = await watch(there, project);
  await sendEvent(here.server, await createProject(here.server), event("elsewhere"));
  await sendEvent(here.server, project, event("fresh"));
  const { errorId } = await watcher.hears("fresh");
  const changes = [{ errorId, status: ErrorStatus.RESOLVED }];
  await here.client.errors.updateErrors({ projectId: project.id, changes }, here.client.auth);
  const { statusChangedBy } = await watcher.hears("fresh", ErrorStatus.RESOLVED);
  assert.is(statusChangedBy, "root", "the other process knows who it was");
  assert.equal(
    [...new Set(watcher.responses.flatMap(({ errors }) => errors.map((error) => error.projectId)))],
    [project.id],
  );
  await watcher.cancel();
});

test("if more than 100 errors change in one process, a watch in the other reports 100, and that there are more", async () => {
  const project = await createProject(here.server);
  const watcher = await watch(there, project);
  const words = Array.from({ length: 150 }, (_, n) => String.fromCharCode(97 + (n % 26), 97 + Math.floor(n / 26)));
  const events = words.map((word) => errorEvent({ projectId: project.id, eventId: newEventId(), message: word }));
  await here.client.ingest.reportEvents({ events }, here.client.auth);
  const crowd = await until("the crowd", () => watcher.responses.find(({ more }) => more));
  assert.is(crowd.errors.length, 100);
  await watcher.cancel();
});

test("refusals of one process reach anyone who waits for the first event in the other", async () => {
  const project = await createProject(here.server);
  await post(here.server, project, "store", "{");
  const ended = new AbortController();
  const refusals: Refusal[] = [];
  let count = 0;
  const context = { ...there.client.auth, signal: ended.signal };
  const listening = (async () => {
    for await (const answer of there.client.outcomes.watchRefusals({ projectId: project.id }, context)) {
      refusals.push(...answer.refusals);
      count += answer.count;
    }
  })().catch((error: unknown) => {
    if (!ended.signal.aborted) throw error;
  });
  await until("the refusal before", () => count === 1);
  for (let n = 0; n < 20; n++) await post(here.server, project, "store", "{");
  await until("all of them", () => count === 21);
  assert.ok(refusals.length > 1 && refusals.length <= 21);
  assert.equal([...new Set(refusals.map(({ reason, sdk }) => `${reason} ${sdk}`))], ["malformed faultline.test/1.0"]);
  ended.abort();
  await listening;
});

test("the encryption key is not rotated while another process runs, and the refusal says what to do", async () => {
  const { client, server } = here;
  const keys = () => readFileSync(join(server.dataDir, "secrets.json"), "utf8");
  const before = keys();
  const refusal = await rejects(client.instance.rotateEncryptionKey({}, client.auth), "FAILED_PRECONDITION");
  assert.is(refusal.reason, ErrorReason.OTHER_PROCESSES_RUN);
  assert.match(
    refusal.message,
    /^Another process runs on this database.*Stop all other processes.*copy secrets\.json to all/,
  );
  assert.is(keys(), before);
  await there.server.kill9();
  await until("the rotation begins", () =>
    client.instance.rotateEncryptionKey({}, client.auth).then(
      () => true,
      () => false,
    ),
  );
  assert.is.not(keys(), before);
});

test.run();
