import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ErrorStatus } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { runningServer } from "../support/flow.ts";
import { createProject, type Project } from "../support/project.ts";
import { recount } from "../support/recount.ts";
import { newEventId, sendEvent, sendStore } from "../support/send.ts";
import { storedErrors } from "../support/stored.ts";

const seed = 20_260_101;
const eventsSent = 600;
const lanes = 16;
const statuses = [ErrorStatus.UNRESOLVED, ErrorStatus.RESOLVED, ErrorStatus.IGNORED];

const { server, client } = await runningServer();
const projects = [await createProject(server), await createProject(server), await createProject(server)];

/** Numbers below 1 that are the same in each run (mulberry32). */
function randomNumbers(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Sending {
  readonly project: Project;
  readonly event: Readonly<Record<string, unknown>> & { readonly event_id: string };
}

/** Events of a few errors, users and releases, spread over five days; one in six is a repetition of another. */
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
      timestamp: Date.now() / 1000 - random() * 5 * 86_400,
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

/** Counts all anew, and that each event sent was stored once in its project. */
function assertCounters(sent: readonly Sending[]): void {
  using database = new DatabaseSync(join(server.dataDir, "faultline.db"), { readOnly: true });
  assert.equal(recount(database), [], `seed ${seed}`);
  const rows = database.prepare("select project_id || ' ' || lower(hex(event_id)) as id from integrated_event").all();
  assert.equal(
    rows.map(({ id }) => String(id)).toSorted(),
    [...new Set(sent.map(({ project, event }) => `${project.id} ${event.event_id}`))].toSorted(),
  );
  const errors = database.prepare("select * from integrated_error").all();
  const times = database.prepare(
    "select min(occurred_at) as first, max(occurred_at) as last from integrated_event where error_id = ?",
  );
  for (const error of errors) {
    const { first, last } = times.get(error["id"] ?? null) ?? {};
    assert.is(error["first_seen_at"], first, `seed ${seed}`);
    assert.is(error["last_seen_at"], last, `seed ${seed}`);
  }
}

test("after any load every counter equals a recount, also when errors come back after they were resolved", async () => {
  const random = randomNumbers(seed);
  const before = makeLoad(random);
  await sendAll(before);
  assertCounters(before);

  const statusOf = new Map<string, ErrorStatus>();
  for (const project of projects) {
    const errors = await storedErrors(client, project.id);
    assert.ok(errors.length >= 7);
    const changes = errors.map(({ errorId }, n) => ({ errorId, status: statuses[n % 3] ?? ErrorStatus.UNRESOLVED }));
    await client.errors.updateErrors({ projectId: project.id, changes }, client.auth);
    for (const { errorId, status } of changes) statusOf.set(errorId, status);
  }
  assertCounters(before);

  const after = makeLoad(random);
  await sendAll(after);
  assertCounters([...before, ...after]);
  for (const project of projects) {
    for (const { errorId, status, reopenedTime } of await storedErrors(client, project.id)) {
      const wasResolved = statusOf.get(errorId) === ErrorStatus.RESOLVED;
      assert.is(status, wasResolved ? ErrorStatus.UNRESOLVED : (statusOf.get(errorId) ?? ErrorStatus.UNRESOLVED));
      assert.is(reopenedTime !== undefined, wasResolved);
    }
  }

  await sendAll([...before, ...after]); // all known by now: nothing may change
  assertCounters([...before, ...after]);
});

test.run();
