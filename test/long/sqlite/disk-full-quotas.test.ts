import { randomBytes } from "node:crypto";
import { OutcomeKind } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { grpcClient } from "../../support/core/grpc.ts";
import { http } from "../../support/http/http.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { newEventId, sendStore } from "../../support/sentry/send.ts";
import { startServer } from "../../support/service/server.ts";
import { inOwnMounts, smallDisk, whyNoMounts } from "../../support/service/small-disk.ts";
import { storedEventCount } from "../../support/database/stored.ts";
import { until } from "../../support/run/until.ts";

const mebibyte = 1024 * 1024;

const missing = whyNoMounts();
if (missing !== "") console.log(`Skipped: a disk that one project fills, as ${missing}.`);
else {
  inOwnMounts(import.meta.url);
  const disk = smallDisk(128);
  const server = await startServer({
    dataDir: disk.directory,
    env: { FAULTLINE_RATE_LIMIT_KEY: "0", FAULTLINE_RATE_LIMIT_PROJECT: "0" },
  });
  const client = grpcClient(server);
  const [flooding, other, bystander] = [
    await createProject(server),
    await createProject(server),
    await createProject(server),
  ];
  test.after(async () => {
    client.close();
    await server.stop();
  });

  /** Nothing that packing could make smaller. */
  const noise = randomBytes(180_000).toString("base64");
  const send = (project: Project, extra: object = {}) =>
    sendStore(server, project, {
      event_id: newEventId(),
      exception: { values: [{ type: "Filled", value: "x" }] },
      extra,
    });
  const isReady = async () => (await http(`${server.url}/-/readiness`)).status === 200;

  /**
   * Four senders flood simultaneously until each is refused. Meanwhile the other project sends, and all its events are
   * stored.
   */
  const flood = async (): Promise<{ statuses: Set<number>; texts: Set<string>; sentBeside: number }> => {
    const [statuses, texts] = [new Set<number>(), new Set<string>()];
    const flooded = new AbortController();
    const lane = async () => {
      for (let answer = await send(flooding, { noise }); ; answer = await send(flooding, { noise })) {
        if (answer.status === 200) continue;
        statuses.add(answer.status);
        texts.add(answer.text);
        return;
      }
    };
    let sentBeside = 0;
    const beside = async () => {
      do {
        const { status, text } = await send(other);
        assert.is(status, 200, text);
        sentBeside++;
      } while (!flooded.signal.aborted);
    };
    const lanes = Promise.all(Array.from({ length: 4 }, lane)).finally(() => flooded.abort());
    await Promise.all([lanes, beside()]);
    return { statuses, texts, sentBeside };
  };

  let beside = 0;

  test("by default one project cannot fill more than a quarter of the disk, however much it sends", async () => {
    const before = disk.freeBytes();
    const { statuses, sentBeside } = await flood();
    beside += sentBeside;
    assert.equal([...statuses], [429]);
    assert.ok(await isReady());
    const { quota } = await client.quotas.getQuota({ projectId: flooding.id }, client.auth);
    assert.is(quota?.keptLimitBytes, BigInt(32 * mebibyte));
    assert.ok(Number(quota?.keptBytes) <= 32 * mebibyte);
    // The contents of the log add to the file until they are copied, which is much on a disk this small.
    assert.ok(before - disk.freeBytes() < 64 * mebibyte, `${before - disk.freeBytes()} bytes are taken`);
  });

  test("without limits the largest project is refused when the disk gets full, and the others keep storing", async () => {
    await client.quotas.updateDefaultQuota({ dayLimitBytes: 0n, keptLimitBytes: 0n }, client.auth);
    assert.is((await send(bystander)).status, 200);
    const { statuses, texts, sentBeside } = await flood();
    beside += sentBeside;
    assert.equal([...statuses], [503]);
    assert.match([...texts].join(), "among the projects that keep the most data");
    assert.ok(await isReady(), "others are stored, so that it is ready");
    for (let n = 0; n < 50; n++) {
      for (const project of [other, bystander]) assert.is((await send(project)).status, 200);
    }
    assert.is((await send(flooding)).status, 503);
    assert.is(await storedEventCount(client, other.id), beside + 50);
    const { outcomes } = await client.outcomes.listOutcomes({ projectId: flooding.id }, client.auth);
    const reasons = outcomes.flatMap(({ kind, reason }) => (kind === OutcomeKind.REFUSED ? [reason] : []));
    assert.equal(reasons.toSorted(), ["disk_full", "quota"]);
  });

  test("a limit set then takes the project's oldest events, and it may store again", async () => {
    await client.quotas.updateQuota({ projectId: flooding.id, keptLimitBytes: BigInt(10 * mebibyte) }, client.auth);
    await until("its events are taken again", async () => (await send(flooding)).status === 200, {
      deadlineMs: 30_000,
      everyMs: 200,
    });
    const { quota } = await client.quotas.getQuota({ projectId: flooding.id }, client.auth);
    assert.ok(Number(quota?.keptBytes) < 10 * mebibyte);
    assert.ok(Number(quota?.evictedEventCount) > 0);
    assert.not.match(server.output(), "SQLITE_FULL");
  });
}

test.run();
