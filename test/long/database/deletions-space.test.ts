// limit: 300 s
import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { toJson } from "@bufbuild/protobuf";
import { DeletionState, EventSchema } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { databaseOf } from "../../support/database/database-of.ts";
import { errorEvent } from "../../support/sentry/error-event.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { newEventId, sendStore } from "../../support/sentry/send.ts";
import { startServer, type Server } from "../../support/service/server.ts";
import { countOf, recountOf, rowsOf } from "../../support/database/stored-rows.ts";
import { storedErrors } from "../../support/database/stored.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { bound, measuringTest, stopwatch } from "../../support/measure/measured.ts";
import { until } from "../../support/run/until.ts";

const minuteMs = 60_000;
const dataDir = tempDir();
const isOnSqlite = databaseOf(dataDir) === undefined;
let server: Server = await startServer({ dataDir });
let client: GrpcClient = grpcClient(server);
test.after(async () => {
  client.close();
  await server.stop();
});

/** Sends events of errors in turn; their ids. */
async function sendAll(project: Project, named: readonly string[], fields: () => object): Promise<string[]> {
  const ids: string[] = [];
  const waiting = named.toReversed();
  const lane = async () => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      const event_id = newEventId();
      const answer = await sendStore(server, project, { event_id, message: name, fingerprint: [name], ...fields() });
      assert.is(answer.status, 200, answer.text);
      ids.push(event_id);
    }
  };
  await Promise.all(Array.from({ length: 16 }, lane));
  return ids;
}

/** Reports an event of each error over gRPC, because new errors with a client key have a limit. */
async function reportAll(project: Project, named: readonly string[]): Promise<void> {
  for (let n = 0; n < named.length; n += 800) {
    const events = named.slice(n, n + 800).map((name) =>
      errorEvent({
        projectId: project.id,
        eventId: newEventId(),
        message: name,
        fingerprint: [name],
        tags: { fate: "gone" },
        user: "id:1",
      }),
    );
    await client.ingest.reportEvents({ events }, client.auth);
  }
}

const noise = () => ({ extra: { noise: randomBytes(12_000).toString("base64") } }); // nothing that compression shortens
const inTurn = (kinds: readonly string[], events: number) =>
  Array.from({ length: events }, (_, n) => kinds[n % kinds.length] ?? "");

/** Bytes of the file, or of the tables of events on PostgreSQL. */
/** The size including the log that is not in the file yet. */
async function sizeWithLog(): Promise<number> {
  if (!isOnSqlite) return sizeStored();
  const [row] = await rowsOf(dataDir, "select page_count * page_size as size from pragma_page_count, pragma_page_size");
  return Number(row?.["size"]);
}

async function sizeStored(): Promise<number> {
  if (isOnSqlite) return statSync(join(dataDir, "faultline.db")).size;
  const [row] = await rowsOf(
    dataDir,
    "select sum(pg_total_relation_size(oid)) as size from pg_class where relname ~ '^integrated_(event|payload)_[0-9]+$' and relkind = 'r'",
  );
  return Number(row?.["size"]);
}

async function remove(project: Project, query: string, expectedCount: number) {
  const target = { case: "matching", value: { query, expectedCount } } as const;
  const { deletion } = await client.deletions.createDeletion(
    { projectId: project.id, target, withoutUndo: true },
    client.auth,
  );
  return deletion?.deletionId ?? 0;
}

const erased = (project: Project, deletionId: number, deadlineMs = minuteMs) =>
  until(
    "all to be erased",
    async () => {
      const { deletion } = await client.deletions.getDeletion({ projectId: project.id, deletionId }, client.auth);
      return deletion?.state === DeletionState.ERASED && deletion;
    },
    { deadlineMs, everyMs: 50 },
  );

/** Everything the service says about each event. */
async function answers(project: Project, ids: readonly string[]): Promise<unknown[]> {
  const all = [];
  for (const eventId of ids) {
    const { event } = await client.errors.getEvent({ projectId: project.id, eventId }, client.auth);
    all.push(event && toJson(EventSchema, event));
  }
  return all;
}

measuringTest(
  "without undo the space is back within a minute, and what shared a block with it reads as before",
  async () => {
    const project = await createProject(server);
    const emptySize = await sizeWithLog();
    const kept = ["kept 1", "kept 2", "kept 3", "kept 4"];
    const gone = ["gone 1", "gone 2", "gone 3", "gone 4"];
    // All are packed immediately: 320 are five steps of 64 events, and no step waits for more.
    const tagged = (name: string) => ({ ...noise(), tags: { fate: name } });
    const [keptIds] = await Promise.all([
      sendAll(project, inTurn(kept, 160), () => tagged("kept")),
      sendAll(project, inTurn(gone, 160), () => tagged("gone")),
    ]);
    if (isOnSqlite) {
      await until("all are packed", async () => (await countOf(dataDir, "integrated_payload")) === 0, {
        deadlineMs: 60_000,
      });
    }
    const before = await answers(project, keptIds);
    const size = await sizeStored();
    const grownBy = size - emptySize;
    assert.ok(grownBy > 320 * 12_000, `${grownBy} bytes`);

    const time = stopwatch();
    const deletionId = await remove(project, "fate:gone", 4);
    const deletion = await erased(project, deletionId);
    bound("the erasure of 160 events", time(), { atMost: minuteMs });
    assert.is(deletion.erasedEventCount, 160n);
    assert.equal(await answers(project, keptIds), before);
    assert.equal(await recountOf(dataDir), []);
    if (isOnSqlite) {
      const isShorter = async () => (await sizeStored()) < emptySize + grownBy * 0.6;
      await until("the file to be shorter", isShorter, { deadlineMs: minuteMs });
      bound("the space of 160 events", time(), { atMost: minuteMs });
      assert.is((await rowsOf(dataDir, "pragma freelist_count"))[0]?.["freelist_count"], 0);
      const [blocks] = await rowsOf(dataDir, "select sum(length(content)) as bytes from integrated_block");
      assert.ok(Number(blocks?.["bytes"]) < grownBy * 0.55, "the blocks were rewritten");
    } else {
      const after = await sizeStored();
      await sendAll(project, inTurn(["more 1", "more 2"], 140), noise);
      const [refilled, allowed] = [await sizeStored(), after + 20 * 17_000];
      assert.ok(refilled < allowed, `${refilled} bytes with more events, ${after} after the deletion, ${size} before`);
    }
  },
);

test("a deletion that was killed half-way continues at the next start", async () => {
  const project = await createProject(server);
  const other = await createProject(server);
  await sendAll(other, inTurn(["other"], 20), noise);
  const names = Array.from({ length: 1_600 }, (_, n) => `false ${n}`);
  await reportAll(project, names);
  await sendAll(project, ["real"], () => ({}));
  const deletionId = await remove(project, "fate:gone", 1_600);
  for (let kills = 0; kills < 2; kills += 1) {
    const left = await countOf(dataDir, "integrated_deletion_error");
    client.close();
    await server.kill9();
    server = await startServer({ dataDir });
    client = grpcClient(server);
    if (kills === 0) {
      assert.ok(left >= 1_000, `${left} were hidden before the kill`);
      await until(
        "some to be erased",
        async () => {
          const { deletion } = await client.deletions.getDeletion({ projectId: project.id, deletionId }, client.auth);
          return (deletion?.erasedEventCount ?? 0n) > 0n;
        },
        { deadlineMs: 60_000 },
      );
    }
  }
  const deletion = await erased(project, deletionId, 2 * minuteMs);
  assert.equal([deletion.deletedCount, deletion.foundCount], [1_600, 1_600]);
  assert.equal(
    (await storedErrors(client, project.id)).map(({ title }) => title),
    ["real"],
  );
  assert.is((await storedErrors(client, other.id))[0]?.eventCount, 20);
  assert.is(await countOf(dataDir, "integrated_deletion_error"), 0);
  assert.is(await countOf(dataDir, `integrated_event where project_id = ${project.id}`), 1);
  assert.equal(await recountOf(dataDir), []);
});

test.run();
