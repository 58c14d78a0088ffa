import { randomBytes } from "node:crypto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { freshDatabase } from "../../../support/database/postgresql.ts";
import { createProject, type Project } from "../../../support/core/project.ts";
import { newEventId, sendEvent } from "../../../support/sentry/send.ts";
import { killAll, startProcesses, type Process } from "../../../support/service/several-processes.ts";
import { until } from "../../../support/run/until.ts";

const url = await freshDatabase();
const processes = await startProcesses([url, url]);
test.after(() => killAll(processes));
const [here, there] = processes as [Process, Process];

const send = async ({ server }: Process, project: Project, bytes: number) => {
  const extra = { noise: randomBytes(bytes).toString("base64") };
  return (await sendEvent(server, project, { event_id: newEventId(), message: "one of many", extra })).status;
};

const usedAt = async ({ client }: Process, { id }: Project) =>
  (await client.quotas.getQuota({ projectId: id }, client.auth)).quota?.dayBytes;

test("the bytes of a day that one process accepted count in the other, and a limit set in one holds in both", async () => {
  const project = await createProject(here.server);
  assert.is(await send(there, project, 10_000), 200);
  await here.client.quotas.updateQuota({ projectId: project.id, dayLimitBytes: 1_000_000n }, here.client.auth);
  let sent = 0;
  for (let status = 200; status === 200 && sent < 30; sent++) status = await send(here, project, 100_000);
  assert.ok(sent >= 10 && sent <= 12, `${sent}`);
  await until("the other process refuses too", async () => (await send(there, project, 10)) === 429, {
    deadlineMs: 5_000,
    everyMs: 100,
  });
  await until(
    "both have counted the same",
    async () => (await usedAt(here, project)) === (await usedAt(there, project)),
  );
  await there.client.quotas.updateQuota({ projectId: project.id, useDefaultDayLimit: true }, there.client.auth);
  await until("both accept", async () => {
    const statuses = await Promise.all([here, there].map((process) => send(process, project, 10)));
    return statuses.every((status) => status === 200);
  });
});

test("one of two processes deletes the oldest events, and both refuse a project that keeps too much", async () => {
  const project = await createProject(here.server);
  await here.client.quotas.updateQuota(
    { projectId: project.id, dayLimitBytes: 0n, keptLimitBytes: 1_000_000n },
    here.client.auth,
  );
  const statuses = new Set<number>();
  for (let n = 0; n < 30; n++) {
    for (const process of [here, there]) statuses.add(await send(process, project, 50_000));
  }
  assert.ok(statuses.has(200));
  for (const { client } of [here, there]) {
    const quota = await until("it keeps what it may", async () => {
      const now = (await client.quotas.getQuota({ projectId: project.id }, client.auth)).quota;
      return now && now.keptBytes <= 950_000n && now.evictedEventCount > 0n ? now : undefined;
    });
    assert.ok(quota.keptBytes > 0n);
  }
});

test.run();
