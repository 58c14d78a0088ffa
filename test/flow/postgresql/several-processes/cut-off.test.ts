import { test } from "uvu";
import * as assert from "uvu/assert";
import { newUser } from "../../../support/service/movable-faultline.ts";
import { freshDatabase, socketOf, throughPort, withPostgresql } from "../../../support/database/postgresql.ts";
import { createKey, createProject } from "../../../support/core/project.ts";
import { rejects } from "../../../support/assert/rejects.ts";
import { newEventId, sendEvent, type Target } from "../../../support/sentry/send.ts";
import { killAll, startProcesses, type Process } from "../../../support/service/several-processes.ts";
import { startTcpProxy } from "../../../support/http/tcp-proxy.ts";
import { promised } from "../../../support/run/deadlines.ts";
import { until } from "../../../support/run/until.ts";

const url = await freshDatabase();
const proxy = await startTcpProxy(socketOf(url));
const urlOfProxy = throughPort(url, proxy.port);
const processes = await startProcesses([url, urlOfProxy]);
const [here, there] = processes as [Process, Process];
test.after(async () => {
  await killAll(processes);
  await proxy.stop();
});

const withinSecond = { deadlineMs: promised(1_000), everyMs: 10 };

/** The answer to an event: the status, and the reason of a refusal. */
async function answer({ server }: Process, to: Target): Promise<string> {
  const { status, headers } = await sendEvent(server, to, { event_id: newEventId(), message: "one of many" });
  return `${status} ${String(headers["x-sentry-error"] ?? "")}`;
}

const listening =
  "from pg_stat_activity where datname = current_database() and application_name = 'faultline announcements'";
const listeners = () =>
  withPostgresql(url, async (client) => (await client.query<{ pid: number }>(`select pid ${listening}`)).rows);

test("a process that lost its database knows the keys it knew, and refuses what was deleted as soon as it is back", async () => {
  const project = await createProject(here.server);
  const { id } = project;
  const unknown = { id, ...(await createKey(here.server, id)) };
  const kept = { id, ...(await createKey(here.server, id)) };
  for (const key of [project, kept]) assert.match(await answer(there, key), /^200/);
  proxy.cut();
  await here.client.clientKeys.deleteClientKey({ projectId: id, keyId: project.keyId }, here.client.auth);
  for (let n = 0; n < 5; n++) {
    // There is no queue here, so that the event cannot be stored; but its key is known.
    for (const key of [project, kept]) assert.match(await answer(there, key), /^503 (?!.*client key)/);
    assert.match(await answer(there, unknown), /^503 The client key cannot be looked up because/);
  }
  proxy.mend();
  await until("the deleted key is refused", async () => (await answer(there, project)).startsWith("403"), withinSecond);
  await until("the other is accepted", async () => (await answer(there, kept)).startsWith("200"), withinSecond);
});

test("changes that a process missed because it lost its connection unnoticed take effect as soon as it reconnects", async () => {
  await until("both listen", async () => (await listeners()).length === 2);
  const { id: projectId } = await createProject(here.server);
  const user = await newUser(here.client);
  const read = () => there.client.errors.listErrors({ projectId }, { token: user.auth.token });
  await rejects(read(), "NOT_FOUND");
  proxy.swallow("there", "back");
  // The process that connected last is behind the proxy.
  await withPostgresql(url, (client) =>
    client.query(`select pg_terminate_backend(pid) ${listening} order by backend_start desc limit 1`),
  );
  await until("one is gone", async () => (await listeners()).length === 1);
  await here.client.users.updateUser({ userId: user.userId, isBlocked: true }, here.client.auth);
  proxy.mend();
  const refused = () => rejects(read(), "UNAUTHENTICATED").catch(() => undefined);
  await until("the blocked user is refused", refused, withinSecond);
  await until("both listen again", async () => (await listeners()).length === 2);
  await here.client.users.updateUser({ userId: user.userId, isBlocked: false }, here.client.auth);
  await until("the user is let in", () => rejects(read(), "NOT_FOUND").catch(() => undefined), withinSecond);
});

test.run();
