// limit: 180 s
// alone: it crashes a database server of its own
import { readdirSync, readFileSync } from "node:fs";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { grpcClient } from "../support/core/grpc.ts";
import { createProject } from "../support/core/project.ts";
import { startPostgresql } from "../support/database/postgresql.ts";
import { until } from "../support/run/until.ts";
import { newEventId, sendEvent } from "../support/sentry/send.ts";
import { startServer } from "../support/service/server.ts";

const postgresql = await startPostgresql();
test.after(() => postgresql.stop("immediate"));

test("while the server is down calls are answered UNAVAILABLE, and afterwards they work again by themselves", async () => {
  const server = await startServer({ env: { FAULTLINE_DATABASE_URL: await postgresql.createDatabase() } });
  const client = grpcClient(server);
  const create = (path: string) =>
    client.projects.createProject({ path }, client.auth).then(
      () => "made",
      (error: { code: number; message: string }) => `${error.code} ${error.message}`,
    );
  for (const round of [1, 2]) {
    assert.is(await create(`before-${round}`), "made");
    // Calls under way meet the crash at any point: before they begin, in a transaction, at their commit.
    const underWay = Promise.all(Array.from({ length: 30 }, (_, n) => create(`during-${round}-${n}`)));
    await postgresql.stop(round === 1 ? "fast" : "immediate");
    for (const answer of await underWay) assert.match(answer, /^(made|14 The database cannot be used now)/);
    assert.match(
      await create(`down-${round}`),
      /^14 The database cannot be used now, so nothing was changed\. Try again/,
    );
    await until("no readiness", async () => (await fetch(`${server.url}/-/readiness`)).status === 503);
    await postgresql.start();
    await until("readiness", async () => (await fetch(`${server.url}/-/readiness`)).ok);
    // Were connections lost at the crash, these would wait for them in vain.
    const again = await Promise.all(Array.from({ length: 30 }, (_, n) => create(`again-${round}-${n}`)));
    assert.equal([...new Set(again)], ["made"]);
  }
  client.close();
  assert.is(await server.stop(), 0);
});

/** The server's process and its children. */
function processesOf(pid: number): number[] {
  const parents = readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return [
        [Number(name), Number(readFileSync(`/proc/${name}/stat`, "utf8").split(") ")[1]?.split(" ")[1])] as const,
      ];
    } catch {
      return []; // it has ended
    }
  });
  return [pid, ...parents.flatMap(([child, parent]) => (parent === pid ? [child] : []))];
}

test("events that meet a server that answers nothing are refused before their SDKs give up, and stored when it answers again", async () => {
  const server = await startServer({ env: { FAULTLINE_DATABASE_URL: await postgresql.createDatabase() } });
  const project = await createProject(server);
  const unknown = { ...project, key: "0".repeat(32) };
  const send = (to = project) => sendEvent(server, to, { event_id: newEventId(), message: "x" });
  assert.is((await send()).status, 200);
  const stopped = processesOf(postgresql.pid());
  for (const pid of stopped) process.kill(pid, "SIGSTOP");
  try {
    const answers = await Promise.all([send(), send(), send(unknown)]);
    for (const { status, headers } of answers) assert.equal([status, headers["retry-after"]], [503, "30"]);
    assert.equal((await send()).status, 503);
    // Before the driver's limit of 35 s, which would say "Query read timeout".
    assert.match(server.output(), /events could not be stored/);
    assert.not.match(server.output(), /timeout/i);
    assert.is((await fetch(`${server.url}/-/readiness`)).status, 503);
  } finally {
    for (const pid of stopped) process.kill(pid, "SIGCONT");
  }
  await until("events are stored", async () => (await send()).status === 200);
  await until("readiness", async () => (await fetch(`${server.url}/-/readiness`)).ok);
  assert.is(await server.stop(), 0);
});

test.run();
