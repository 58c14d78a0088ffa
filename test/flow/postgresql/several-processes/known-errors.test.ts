// limit: 240 s
import type { JsonObject } from "@faultline/sentry-event";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { grpcClient } from "../../../support/core/grpc.ts";
import { createProject } from "../../../support/core/project.ts";
import { freshDatabase } from "../../../support/database/postgresql.ts";
import { storedErrors } from "../../../support/database/stored.ts";
import { groupByVersion1, type Sent } from "../../../support/database/version-1.ts";
import { newEventId, sendEvent } from "../../../support/sentry/send.ts";
import { startServer } from "../../../support/service/server.ts";
import { startProcesses } from "../../../support/service/several-processes.ts";

const url = await freshDatabase();

/** Functions with two faults each: one error of version 1, two of version 2. */
const functions = 12;
const raised = (name: string, line: string): JsonObject => {
  const frame = { module: "shop", filename: "shop.py", function: name, context_line: line, lineno: 1, in_app: true };
  return {
    platform: "python",
    exception: { values: [{ type: "ValueError", value: "no", stacktrace: { frames: [frame] } }] },
  };
};
/** Two messages each: two errors of version 1, one of version 2. */
const refused = (name: string, host: string): JsonObject => ({ message: `${name}: dial tcp://${host}:10 refused` });

const names = Array.from({ length: functions }, (_, n) => `pay${String.fromCharCode(97 + n)}`);
const first = names.flatMap((name) => [raised(name, "raise a"), refused(name, "a.com"), refused(name, "b.org")]);
const again = names.flatMap((name) => [
  raised(name, "raise a"),
  raised(name, "raise b"),
  refused(name, "a.com"),
  refused(name, "b.org"),
]);

test("processes that store at the same moment give each group one error, and lose no event", async () => {
  const before = await startProcesses([url, url]);
  const [{ server }] = before as [(typeof before)[0], (typeof before)[0]];
  const project = await createProject(server);
  const sent: Sent[] = [];
  const report = async (to: { url: string }, event: JsonObject) => {
    const eventId = newEventId();
    const { status, text } = await sendEvent(to, project, { ...event, event_id: eventId });
    assert.is(status, 200, text);
    sent.push({ eventId, event });
  };
  for (const event of first) await report(server, event);
  for (const one of before) {
    one.client.close();
    await one.server.stop();
  }
  await groupByVersion1(url, project.id, sent);

  const env = { FAULTLINE_DATABASE_URL: url };
  const servers = await Promise.all(before.map((one) => startServer({ dataDir: one.server.dataDir, env })));
  const client = grpcClient(servers[0] as (typeof servers)[0]);
  const known = new Set((await storedErrors(client, project.id)).map(({ errorId }) => errorId));
  assert.is(known.size, 3 * functions);
  await Promise.all(servers.flatMap((to) => [...again, ...again].map((event) => report(to, event))));

  const errors = await storedErrors(client, project.id);
  const added = errors.filter(({ errorId }) => !known.has(errorId));
  assert.is(added.length, functions, "each function has one more fault");
  assert.ok(added.every(({ splitFromErrorId }) => known.has(splitFromErrorId)));
  assert.is(new Set(added.map(({ splitFromErrorId }) => splitFromErrorId)).size, functions);
  assert.is(
    errors.reduce((sum, { eventCount }) => sum + eventCount, 0),
    first.length + 4 * again.length,
  );
  // Of two errors that are one by now, one took all events.
  assert.is(errors.filter(({ eventCount }) => eventCount === 1).length, functions);
  client.close();
  for (const one of servers) await one.stop();
});

test.run();
