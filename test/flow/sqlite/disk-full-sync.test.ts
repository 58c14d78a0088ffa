import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createProject } from "../../support/core/project.ts";
import { newEventId, sendStore } from "../../support/sentry/send.ts";
import { startServer } from "../../support/service/server.ts";
import { failSync, whyNoStrace } from "../../support/service/strace.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { until } from "../../support/run/until.ts";
import { failedSync, withKnownName } from "../../../backend/src/storage/database/sqlite/connection.ts";

test("errors with an extended code have the name of their plain one, and a failed sync is distinguished from other failures", () => {
  const named = (code: string, errno: number) =>
    withKnownName(Object.assign(new Error(`${code}: disk I/O error`), { code, errno }));
  const sync = named("UNKNOWN", 1034);
  assert.equal([sync.message, failedSync(sync)], ["SQLITE_IOERR: disk I/O error", true]);
  const write = named("UNKNOWN", 778);
  assert.equal([write.message, failedSync(write)], ["SQLITE_IOERR: disk I/O error", false]);
  assert.is(named("SQLITE_FULL", 13).message, "SQLITE_FULL: disk I/O error");
});

const missing = whyNoStrace();
if (missing !== "") console.log(`Skipped: a sync that fails, as ${missing}.`);
else {
  test("neither an event whose sync fails nor anything after it is acknowledged: the service ends, and starts again from safe data", async () => {
    const env = { UV_THREADPOOL_SIZE: "1" }; // strace counts the calls of each thread
    const server = await startServer({ env });
    const project = await createProject(server);
    const acknowledged: string[] = [];
    const sent: string[] = [];
    const failing = await failSync(server.pid, join(server.dataDir, "faultline.db-wal"), 5);
    const send = async () => {
      const id = newEventId();
      sent.push(id);
      const { status } = await sendStore(server, project, { event_id: id, message: "synced?" });
      if (status === 200) acknowledged.push(id);
      return status;
    };
    const never = () => false;
    const isGone = () => !existsSync(`/proc/${server.pid}`);
    await until("an event is not acknowledged", () =>
      send().then(
        (status) => status !== 200,
        () => true,
      ),
    );
    await until("the service ended", () => send().then(never, isGone));
    await until("it says why", () => server.output().includes("The disk failed to keep written data"));
    await failing.end();
    await rejectsStop(server.stop());

    // Data that was not synced is readable, and counts from now on. So it must be made safe before the log continues
    // after it; otherwise it would be lost with the log. The file without its log shows that it was made safe.
    const again = await startServer({ dataDir: server.dataDir });
    const copy = join(tempDir(), "without-log.db");
    copyFileSync(join(server.dataDir, "faultline.db"), copy);
    await again.kill9();
    const database = new DatabaseSync(copy);
    const stored = database.prepare("select lower(hex(event_id)) as id from integrated_event").all();
    database.close();
    const ids = new Set(stored.map(({ id }) => String(id)));
    assert.is(ids.size, stored.length, "none is stored twice");
    assert.ok(acknowledged.length > 0);
    assert.ok(
      acknowledged.every((id) => ids.has(id)),
      "none that was acknowledged is lost",
    );
    assert.equal(
      [...ids].filter((id) => !sent.includes(id)),
      [],
    );
  });
}

async function rejectsStop(stopped: Promise<number>): Promise<void> {
  const error = await stopped.catch((reason: unknown) => reason);
  assert.match(String(error), "ended by itself with 1");
}

test.run();
