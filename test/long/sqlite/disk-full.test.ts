import { randomBytes } from "node:crypto";
import { execFile } from "node:child_process";
import { closeSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gzipSync } from "node:zlib";
import { create } from "@bufbuild/protobuf";
import { ErrorEventSchema, ErrorReason } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { DiskSpace } from "../../../backend/src/storage/database/disk-space.ts";
import { grpcClient } from "../../support/core/grpc.ts";
import { http, type HttpAnswer } from "../../support/http/http.ts";
import { execSql } from "../../support/database/other-process.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { recount } from "../../support/database/recount.ts";
import { rejects } from "../../support/assert/rejects.ts";
import { newEventId, post } from "../../support/sentry/send.ts";
import { bundle, repositoryRoot, rootPassword, rootToken, startServer } from "../../support/service/server.ts";
import { inOwnMounts, smallDisk, whyNoMounts } from "../../support/service/small-disk.ts";
import { putChunk } from "../../support/source-maps/upload.ts";
import { storedErrors, storedEventIds } from "../../support/database/stored.ts";
import { until } from "../../support/run/until.ts";

const mebibyte = 1024 * 1024;

const missing = whyNoMounts();
if (missing !== "") console.log(`Skipped: a disk that fills up, as ${missing}.`);
else inOwnMounts(import.meta.url);

test("a directory that cannot be asked for its space counts as endless", async () => {
  const space = new DiskSpace("/no/such/directory", { info() {}, warn() {}, error() {} });
  await space.ask();
  assert.ok(space.take(1024 * mebibyte));
  assert.not(space.isLow);
});

if (missing === "") {
  const disk = smallDisk(64);
  let server = await startServer({ dataDir: disk.directory });
  let client = grpcClient(server);
  const kept = await createProject(server);
  const aged = await createProject(server);
  const deleted = await createProject(server);
  const acknowledged = new Map<Project, string[]>([kept, aged, deleted].map((project) => [project, []]));
  test.after(async () => {
    client.close();
    await server.stop();
  });

  const readiness = async () => (await http(`${server.url}/-/readiness`)).status;
  const file = join(disk.directory, "faultline.db");
  const noise = randomBytes(180_000).toString("base64");

  /** Sends an event of 240 kB, which is stored as it came. */
  const send = async (project: Project): Promise<HttpAnswer> => {
    const id = newEventId();
    const event = { event_id: id, exception: { values: [{ type: "Full", value: "x" }] }, extra: { noise } };
    const body = gzipSync(JSON.stringify(event), { level: 0 });
    const answer = await post(server, project, "store", body, { "Content-Encoding": "gzip" });
    if (answer.status === 200) acknowledged.get(project)?.push(id);
    else {
      assert.is(answer.status, 503, answer.text);
      assert.match(String(answer.headers["retry-after"]), /^[1-9]\d*$/);
      assert.type((answer.json as { detail?: unknown }).detail, "string");
    }
    return answer;
  };

  /** Sends to the projects in turn, eight at a time, until each lane is refused for a reason that concerns all projects. */
  const fill = async (...projects: Project[]): Promise<HttpAnswer[]> => {
    let n = 0;
    const lane = async () => {
      for (;;) {
        const answer = await send(projects[n++ % projects.length] ?? kept);
        if (answer.status === 503 && !answer.text.includes("among the projects that keep the most data")) return answer;
      }
    };
    return Promise.all(Array.from({ length: 8 }, lane));
  };

  const storedIds = async (project: Project) => {
    const ids: string[] = [];
    for (const { errorId } of await storedErrors(client, project.id)) {
      ids.push(...(await storedEventIds(client, project.id, errorId)));
    }
    return ids.toSorted();
  };

  /** Every acknowledged event is there once, and nothing else. */
  const assertStored = async (project: Project) => {
    assert.equal(await storedIds(project), acknowledged.get(project)?.toSorted());
  };

  test("events are refused before the disk is full, and readiness says so", async () => {
    await client.quotas.updateDefaultQuota({ dayLimitBytes: 0n, keptLimitBytes: 0n }, client.auth);
    assert.is(await readiness(), 200);
    const [refusal] = await fill(kept, aged, deleted, deleted);
    assert.match(refusal?.text ?? "", /disk .* nearly full/);
    assert.ok(disk.freeBytes() > 8 * mebibyte, `${disk.freeBytes()} bytes are left`);
    assert.ok(disk.freeBytes() < 28 * mebibyte, `${disk.freeBytes()} bytes are left`);
    assert.not.match(server.output(), "SQLITE_FULL");
    assert.is(await readiness(), 503);
    const event = create(ErrorEventSchema, { projectId: kept.id, eventId: newEventId(), message: "over gRPC" });
    const call = client.ingest.reportEvents({ events: [event] }, client.auth);
    assert.is((await rejects(call, "UNAVAILABLE")).reason, ErrorReason.STORAGE_UNAVAILABLE);
    const upload = { token: rootToken, organization: "-", projects: [] };
    const { status, headers, text } = await putChunk(server, Buffer.from("a chunk of source maps"), upload);
    assert.is(status, 503, text);
    assert.is(headers["retry-after"], "10"); // sentry-cli and the bundlers' plugins wait no longer
  });

  test("while events are refused, all acknowledged events are readable, and people continue working", async () => {
    for (const project of [kept, aged, deleted]) await assertStored(project);
    const { sessionToken } = await client.accounts.signIn({ username: "root", password: rootPassword });
    const session = { token: sessionToken };
    const { clientKey } = await client.clientKeys.createClientKey({ projectId: kept.id }, session);
    await client.clientKeys.deleteClientKey({ projectId: kept.id, keyId: clientKey?.keyId ?? 0 }, session);
    await client.projects.deleteProject({ projectId: deleted.id }, session);
    assert.is((await client.instance.getHealth({}, session)).health?.isReady, false);
    assert.is(await readiness(), 503);
  });

  test("retention and the end of a deleted project make room, and events are stored again", async () => {
    const past = 100 * 86_400_000;
    await execSql(
      disk.directory,
      `update project set deleted_at = deleted_at - ${past} where id = ${deleted.id};
      update integrated_event set received_at = received_at - ${past} where project_id = ${aged.id}`,
    );
    client.close();
    await server.stop();
    server = await startServer({ dataDir: disk.directory }); // both begin with the start
    client = grpcClient(server);
    await until("an event is stored", async () => (await send(kept)).status === 200);
    await until("what is old is gone", async () => (await storedIds(aged)).length === 0);
    await until("the space is given back", () => disk.freeBytes() > 36 * mebibyte);
    assert.is(await readiness(), 200);
    await assertStored(kept);
  });

  test("when another program takes the last byte nothing is lost, and all heals by itself", async () => {
    const ballast = join(disk.directory, "ballast");
    const filling = fill(kept);
    fillUp(ballast);
    await filling;
    await until("readiness 503", async () => (await readiness()) === 503);
    await assertStored(kept);

    // While somebody reads, such as a backup, the log does not start again, and soon has no room for more.
    const reader = new DatabaseSync(file, { readOnly: true });
    reader.exec("begin; select 1 from project");
    let count = 0;
    const change = () => client.projects.createProject({ path: `full-${count++}`, name: "Full" }, client.auth);
    const someAreRefused = async () => {
      const changes = await Promise.allSettled(Array.from({ length: 20 }, change));
      return changes.some(({ status }) => status === "rejected");
    };
    await until("a change is refused", someAreRefused, { deadlineMs: 30_000 });
    const refusal = await rejects(change(), "UNAVAILABLE");
    assert.is(refusal.reason, ErrorReason.STORAGE_UNAVAILABLE);
    assert.match(refusal.message, /disk .* is full/);
    await assertStored(kept);
    reader.close();

    rmSync(ballast);
    await until("readiness 200", async () => (await readiness()) === 200, { deadlineMs: 5_000 });
    assert.is((await send(kept)).status, 200);
    assert.ok((await change()).project);
    await assertStored(kept);
    const database = new DatabaseSync(file, { readOnly: true });
    assert.is(database.prepare("pragma integrity_check").get()?.["integrity_check"], "ok");
    assert.equal(recount(database), []);
    database.close();
  });

  test("a backup to a full disk says so and leaves nothing", async () => {
    const other = smallDisk(1);
    const child = execFile(process.execPath, [bundle, "backup", join(other.directory, "backup")], {
      cwd: repositoryRoot,
      env: { FAULTLINE_DATA_DIR: disk.directory },
    });
    let said = "";
    child.stderr?.on("data", (text: string) => (said += text));
    const code = await new Promise((resolve) => child.once("close", resolve));
    assert.is(code, 1);
    assert.match(said, /The disk for .* is full/);
    assert.equal(readdirSync(other.directory), []);
  });
}

/** Writes a file until not a byte more has room. */
function fillUp(path: string): void {
  const file = openSync(path, "w");
  for (let size = mebibyte; size >= 1;) {
    try {
      writeSync(file, Buffer.alloc(size));
    } catch (error) {
      if ((error as { code?: string }).code !== "ENOSPC") throw error;
      size = Math.floor(size / 16);
    }
  }
  closeSync(file);
}

test.run();
