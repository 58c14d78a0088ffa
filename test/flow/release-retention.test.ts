/** The rest of recorded releases after a restart, which does old work immediately. */
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../backend/src/main.ts";
import { grpcClient } from "../support/core/grpc.ts";
import { createProject } from "../support/core/project.ts";
import { execSql } from "../support/database/other-process.ts";
import { until } from "../support/run/until.ts";
import { newEventId, sendEvent } from "../support/sentry/send.ts";
import { dayMs, movableClock, passTime } from "../support/service/movable-faultline.ts";
import { tempDir } from "../support/service/temp-dir.ts";
import { testConfig } from "../support/service/test-config.ts";

test("a record goes 90 days after its last use, and of 5,000 a new one replaces that unused for longest", async () => {
  const config = testConfig(tempDir());
  const clock = movableClock();
  const first = await startFaultline(config, clock);
  const client = grpcClient(first);
  const service = { url: first.httpUrl };
  const { auth } = client;
  const project = await createProject(service);
  const projectId = project.id;
  const setCommits = (version: string) =>
    client.releaseRecords.recordCommits(
      { projectId, version, commits: [{ commitId: "a", paths: ["src/cart/total.js"] }] },
      auth,
    );
  const versions = async ({ releaseRecords }: typeof client) =>
    (await releaseRecords.listReleaseRecords({ projectId }, auth)).releaseRecords.map(({ version }) => version);

  await setCommits("unused");
  await setCommits("shown");
  await execSql(
    config.dataDir,
    `insert into release_record (project_id, version, url, ref, created_at, used_at, commit_count)
     with recursive counted(n) as (select 1 union all select n + 1 from counted where n < 4998)
     select ${projectId}, 'v' || n, '', '', ${clock.at}, ${clock.at} + case n when 7 then -1 else n end, 0 from counted`,
  );
  await setCommits("new");
  const stored = (version: string) =>
    client.releaseRecords.getReleaseRecord({ projectId, version }, auth).then(
      () => true,
      () => false,
    );
  assert.equal([await stored("v7"), await stored("v8"), await stored("new")], [false, true, true]);

  clock.at += 60 * dayMs;
  const frames = [{ filename: "/srv/app/src/cart/total.js", function: "f", lineno: 1, in_app: true }];
  await sendEvent(service, project, {
    event_id: newEventId(),
    release: "shown",
    exception: { values: [{ type: "Error", value: "x", stacktrace: { frames } }] },
  });
  const { errors } = await client.errors.listErrors({ projectId }, auth);
  const asked = { projectId, errorId: errors[0]?.errorId ?? "" };
  assert.is((await client.releaseRecords.listSuspectCommits(asked, auth)).suspectCommits.length, 1);
  client.close();
  await first.stop();

  await passTime(config, clock, clock.at + 31 * dayMs);
  const second = await startFaultline(config, clock);
  const again = grpcClient(second);
  await until("the deletion", async () => (await versions(again)).length === 1);
  assert.equal(await versions(again), ["shown"]);
  again.close();
  await second.stop();
});

test.run();
