import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ErrorStatus, Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { refusedBecause } from "../../support/assert/refused-because.ts";
import { grpcClient } from "../../support/core/grpc.ts";
import { newMember } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { http } from "../../support/http/http.ts";
import { until } from "../../support/run/until.ts";
import { newEventId, sendStore } from "../../support/sentry/send.ts";
import { startServer } from "../../support/service/server.ts";
import { inOwnMounts, smallDisk, whyNoMounts } from "../../support/service/small-disk.ts";
import { noisyBundle } from "../../support/source-maps/noisy-bundle.ts";
import { putChunk, uploadBundle } from "../../support/source-maps/upload.ts";

const mebibyte = 1024 * 1024;

const missing = whyNoMounts();
if (missing !== "") console.log(`Skipped: uploads on a disk that gets full, as ${missing}.`);
else {
  inOwnMounts(import.meta.url);
  const disk = smallDisk(128);
  const server = await startServer({ dataDir: disk.directory });
  const client = grpcClient(server);
  const [uploading, honest] = [await createProject(server), await createProject(server)];
  const { token } = await newMember(client, uploading.id, Role.DEVELOPER, ["upload"]);
  const upload = { token, organization: "-", projects: [uploading.path] };
  test.after(async () => {
    client.close();
    await server.stop();
  });

  const send = () =>
    sendStore(server, honest, { event_id: newEventId(), exception: { values: [{ type: "Honest", value: "x" }] } });

  test("uploads are refused while half of the disk is free, and no event is refused, of the largest project neither", async () => {
    // No limit, so that the disk alone refuses.
    await client.quotas.updateDefaultQuota({ dayLimitBytes: 0n, keptLimitBytes: 0n }, client.auth);
    const details: (string | null)[] = [];
    let refusal = "";
    for (let n = 0; refusal === "" && n < 40; n++) {
      const answer = await uploadBundle(server, noisyBundle(3 * mebibyte), { ...upload, version: `a@${n}` }).catch(
        (error: unknown) => String(error),
      );
      if (typeof answer === "string") refusal = answer;
      else details.push(answer.detail);
      const { status, text } = await send();
      assert.is(status, 200, text);
    }
    assert.match(refusal || details.join(), "the remaining space is reserved for events");
    assert.ok(disk.freeBytes() > 48 * mebibyte, `${disk.freeBytes()} bytes are free`);
    const { text, status } = await sendStore(server, uploading, { event_id: newEventId(), message: "of the largest" });
    assert.is(status, 200, text);
  });

  test("chunks, bundles, releases and bulk updates are refused with 503 and a sentence", async () => {
    const filler = join(disk.directory, "filler");
    writeFileSync(filler, Buffer.alloc(Math.max(0, disk.freeBytes() - 56 * mebibyte)));
    const chunk = await until("chunks are refused", async () => {
      const answer = await putChunk(server, Buffer.from(newEventId()), upload);
      return answer.status === 200 ? undefined : answer;
    });
    assert.is(chunk.status, 503);
    assert.match((chunk.json as { detail: string }).detail, "reserved for events");
    assert.ok(Number(chunk.headers["retry-after"]) > 0);
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const body = JSON.stringify({ version: "a@1", projects: [uploading.path.split("/").at(-1)] });
    const release = await http(`${server.url}/api/0/organizations/-/releases/`, { method: "POST", headers, body });
    assert.is(release.status, 503, release.text);
    assert.match((release.json as { detail: string }).detail, "reserved for events");
    const of = { projectId: honest.id };
    await refusedBecause(
      "STORAGE_UNAVAILABLE",
      client.releaseRecords.recordRelease({ ...of, version: "v1" }, client.auth),
    );
    await refusedBecause(
      "STORAGE_UNAVAILABLE",
      client.sourceMaps.assembleArtifactBundle(
        { ...of, checksum: "0".repeat(40), chunks: ["0".repeat(40)] },
        client.auth,
      ),
    );
    const change = { query: "", status: ErrorStatus.UNRESOLVED, newStatus: ErrorStatus.RESOLVED, expectedCount: 1 };
    await refusedBecause("STORAGE_UNAVAILABLE", client.bulkUpdates.createBulkUpdate({ ...of, ...change }, client.auth));
    assert.is((await send()).status, 200);
    rmSync(filler);
  });
}

test.run();
