// process: starts services one after the other
// limit: 600 s
/** A database of 1,000 errors of version 1 of grouping. All their events come again. */
import { ErrorStatus, Role } from "@faultline/proto";
import type { JsonObject } from "@faultline/sentry-event";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { grpcClient } from "../../support/core/grpc.ts";
import { newMember } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { storedErrors } from "../../support/database/stored.ts";
import { groupByVersion1, type Sent } from "../../support/database/version-1.ts";
import { until } from "../../support/run/until.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { startServer, type Server } from "../../support/service/server.ts";

const { UNRESOLVED, RESOLVED, IGNORED } = ErrorStatus;

/** Errors of version 1: some have one fault, some two, and of some two are one fault. */
const kinds = { alone: 700, split: 100, joined: 100 };
const errorCount = kinds.alone + kinds.split + 2 * kinds.joined;

const word = (n: number) => [...String(n)].map((digit) => "abcdefghij"[Number(digit)]).join("");
const raised = (name: string, line: string): JsonObject => {
  const frame = { module: "shop", filename: "shop.py", function: name, context_line: line, lineno: 1, in_app: true };
  return {
    platform: "python",
    exception: { values: [{ type: "ValueError", value: "no", stacktrace: { frames: [frame] } }] },
  };
};

const events: JsonObject[] = [];
for (let n = 0; n < kinds.alone; n += 1) events.push(raised(`alone_${word(n)}`, "raise ValueError"));
for (let n = 0; n < kinds.split; n += 1) {
  events.push(
    raised(`split_${word(n)}`, "raise ValueError(total)"),
    raised(`split_${word(n)}`, "raise ValueError(tax)"),
  );
}
for (let n = 0; n < kinds.joined; n += 1) {
  for (const host of ["a.com", "b.org"]) events.push({ message: `joined ${word(n)}: dial tcp://${host}:10 refused` });
}

/** Sends events one after the other on several connections, like several clients. */
async function sendAll(to: Server, project: { id: number; key: string }, what: readonly JsonObject[]): Promise<Sent[]> {
  const sent: Sent[] = [];
  const waiting = what.values();
  const line = async () => {
    for (const event of waiting) {
      const eventId = newEventId();
      const { status, text } = await sendEvent(to, project, { ...event, event_id: eventId });
      assert.is(status, 200, text);
      sent.push({ eventId, event });
    }
  };
  await Promise.all(Array.from({ length: 8 }, line));
  return sent;
}

test("no error opens again, except marked errors that version 1 had wrongly merged; nobody is notified", async () => {
  const before = await startServer();
  const project = await createProject(before);
  const sent: Sent[] = [];
  for (let from = 0; from < events.length; from += 250) {
    sent.push(...(await sendAll(before, project, events.slice(from, from + 250))));
  }
  await before.stop();
  await groupByVersion1(before.dataDir, project.id, sent);

  const server = await startServer({ dataDir: before.dataDir });
  const client = grpcClient(server);
  const known = await storedErrors(client, project.id);
  assert.is(known.length, errorCount);
  const ids = new Set(known.map(({ errorId }) => errorId));
  const ignored = known.filter((_, n) => n % 7 === 0).map(({ errorId }) => errorId);
  for (let from = 0; from < ignored.length; from += 100) {
    const changes = ignored.slice(from, from + 100).map((errorId) => ({ errorId, status: IGNORED }));
    await client.errors.updateErrors({ projectId: project.id, changes }, client.auth);
  }
  const statuses = new Map((await storedErrors(client, project.id)).map(({ errorId, status }) => [errorId, status]));
  // Somebody who had no news so far.
  const person = await newMember(client, project.id, Role.DEVELOPER);
  const noted = async () => (await client.inbox.getUnreadCount({}, person)).unreadCount;

  await sendAll(server, project, events);
  const errors = await storedErrors(client, project.id);
  const added = errors.filter(({ errorId }) => !ids.has(errorId));
  assert.is(added.length, kinds.split);
  assert.ok(added.every(({ splitFromErrorId, splitFromTime }) => ids.has(splitFromErrorId) && splitFromTime));
  assert.is(new Set(added.map(({ splitFromErrorId }) => splitFromErrorId)).size, kinds.split);
  const kept = errors.filter(({ errorId }) => ids.has(errorId));
  assert.is(kept.length, errorCount);
  assert.ok(kept.every(({ errorId, status }) => status === statuses.get(errorId)));
  assert.ok(errors.every(({ reopenedTime, status }) => !reopenedTime && (status === UNRESOLVED || status === IGNORED)));
  assert.is(errors.filter(({ status }) => status === RESOLVED).length, 0);

  // New errors are noted, after everything that would wrongly have been noted.
  await sendAll(server, project, [{ message: "something else" }]);
  await until("the new error is noted", async () => (await noted()) > 0);
  assert.is(await noted(), 1);
  client.close();
  await server.stop();
});

test.run();
