import { ErrorStatus } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { runningServer } from "../../support/service/flow.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { randomNumbers } from "../../support/sentry/random.ts";
import { newEventId, sendEvent, sendStore } from "../../support/sentry/send.ts";
import { recountOf, rowsOf } from "../../support/database/stored-rows.ts";
import { storedErrors } from "../../support/database/stored.ts";

const seed = 20_260_101;
const eventsSent = 600;
const lanes = 16;
const statuses = [ErrorStatus.UNRESOLVED, ErrorStatus.RESOLVED, ErrorStatus.IGNORED];

const { server, client } = await runningServer();
const projects = [await createProject(server), await createProject(server), await createProject(server)];

interface Sending {
  readonly project: Project;
  readonly event: Readonly<Record<string, unknown>> & { readonly event_id: string };
}

/** Events of a few errors, users and releases, spread over the 90 days of which times are taken; one in six is a repetition of another. */
function makeLoad(random: () => number): Sending[] {
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T; // never empty
  const sendings: Sending[] = [];
  while (sendings.length < eventsSent) {
    if (sendings.length > 0 && random() < 1 / 6) {
      sendings.push(one(sendings));
      continue;
    }
    const user = one([undefined, { id: "1" }, { id: "2" }, { email: "ann@h.example" }, { ip_address: "192.0.2.7" }]);
    const release = one([undefined, "1.0", "1.1", "2.0"]);
    const event = {
      event_id: newEventId(),
      timestamp: Date.now() / 1000 - random() * 90 * 86_400,
      exception: { values: [{ type: one(["A", "B", "C", "D", "E", "F", "G"]), value: "load" }] },
      tags: { shard: one(["1", "2", "3"]) },
      ...(user && { user }),
      ...(release && { release }),
    };
    sendings.push({ project: one(projects), event });
  }
  return sendings;
}

async function sendAll(sendings: readonly Sending[]): Promise<void> {
  const waiting = [...sendings];
  const lane = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const send = waiting.length % 2 === 0 ? sendEvent : sendStore;
      const answer = await send(server, next.project, next.event);
      assert.is(answer.status, 200, answer.text);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Counts everything again, and that each event sent was stored once in its project. */
async function assertCounters(sent: readonly Sending[]): Promise<void> {
  assert.equal(await recountOf(server.dataDir), [], `seed ${seed}`);
  const rows = await rowsOf(server.dataDir, "select project_id, event_id from integrated_event");
  assert.equal(
    rows
      .map(({ project_id: id, event_id: eventId }) => `${id} ${Buffer.from(eventId as Uint8Array).toString("hex")}`)
      .toSorted(),
    [...new Set(sent.map(({ project, event }) => `${project.id} ${event.event_id}`))].toSorted(),
  );
  const times = await rowsOf(
    server.dataDir,
    `select first_seen_at, last_seen_at, first, last from integrated_error e join (
      select error_id, min(occurred_at) as first, max(occurred_at) as last from integrated_event group by 1
    ) as seen on error_id = e.id`,
  );
  assert.ok(times.length > 0);
  for (const { first_seen_at: firstSeenAt, last_seen_at: lastSeenAt, first, last } of times) {
    assert.equal([firstSeenAt, lastSeenAt], [first, last], `seed ${seed}`);
  }
}

test("after any load every counter equals a recount, also when errors come back after they were resolved", async () => {
  const random = randomNumbers(seed);
  const before = makeLoad(random);
  await sendAll(before);
  await assertCounters(before);

  const statusOf = new Map<string, ErrorStatus>();
  for (const project of projects) {
    const errors = await storedErrors(client, project.id);
    assert.ok(errors.length >= 7);
    const changes = errors.map(({ errorId }, n) => ({ errorId, status: statuses[n % 3] ?? ErrorStatus.UNRESOLVED }));
    await client.errors.updateErrors({ projectId: project.id, changes }, client.auth);
    for (const { errorId, status } of changes) statusOf.set(errorId, status);
  }
  await assertCounters(before);

  const after = makeLoad(random);
  await sendAll(after);
  await assertCounters([...before, ...after]);
  for (const project of projects) {
    for (const { errorId, status, reopenedTime } of await storedErrors(client, project.id)) {
      const wasResolved = statusOf.get(errorId) === ErrorStatus.RESOLVED;
      assert.is(status, wasResolved ? ErrorStatus.UNRESOLVED : (statusOf.get(errorId) ?? ErrorStatus.UNRESOLVED));
      assert.is(reopenedTime !== undefined, wasResolved);
    }
  }

  await sendAll([...before, ...after]); // all known by now: nothing may change
  await assertCounters([...before, ...after]);
});

test.run();
