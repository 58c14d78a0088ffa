import { Backend, DeletionState } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../backend/src/main.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { passTime } from "../../support/service/movable-faultline.ts";
import { randomNumbers } from "../../support/sentry/random.ts";
import { rounds } from "../../support/run/rounds.ts";
import { newEventId, sendEvent, type Target } from "../../support/sentry/send.ts";
import { countOf, recountOf, rowsOf } from "../../support/database/stored-rows.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";
import { until } from "../../support/run/until.ts";

const seed = 20_260_117;
const random = randomNumbers(seed);
const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T; // never empty

const dayMs = 86_400_000;
const roundCount = rounds({ short: 2, long: 4 });
const clock = { at: Date.UTC(2026, 0, 10, 12), now: () => clock.at };
const dataDir = tempDir();
const config = testConfig(dataDir);

async function makeProjects(client: GrpcClient): Promise<Target[]> {
  return Promise.all(
    ["shop", "blog"].map(async (path) => {
      const { project } = await client.projects.createProject({ path }, client.auth);
      const id = project?.projectId ?? 0;
      await client.settings.updateSettings({ projectId: id, active: true, backend: Backend.INTEGRATED }, client.auth);
      const { clientKeys } = await client.clientKeys.listClientKeys({ projectId: id }, client.auth);
      return { id, key: clientKeys[0]?.publicKey ?? "" };
    }),
  );
}

/** Sends events of a few errors, users and releases, until `stop` is called. */
async function sendOn(url: string, projects: readonly Target[], count: number): Promise<void> {
  const lane = async () => {
    for (let n = 0; n < count; n += 1) {
      const answer = await sendEvent({ url }, one(projects), {
        event_id: newEventId(),
        message: "load",
        fingerprint: [one(["a", "b", "c", "d", "e", "f"])],
        timestamp: clock.at / 1000 - random() * 5 * 86_400,
        release: one(["1.0.0", "1.1.0", "2.0.0"]),
        tags: { shard: one(["1", "2", "3"]) },
        user: { id: one(["1", "2", "3"]) },
      });
      assert.is(answer.status, 200, answer.text);
    }
  };
  await Promise.all(Array.from({ length: 6 }, lane));
}

/** Deletes, discards and undoes at random. */
async function deleteOn(client: GrpcClient, projects: readonly Target[], count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const projectId = one(projects).id;
    const { errors } = await client.errors.listErrors({ projectId }, client.auth);
    const errorIds = errors.filter(() => random() < 0.3).map(({ errorId }) => errorId);
    const withoutUndo = random() < 0.4;
    const discard = random() < 0.2 ? ({ end: { case: "eventCount", value: 5 } } as const) : undefined;
    const { deletion } = await client.deletions
      .createDeletion(
        { projectId, target: { case: "errors", value: { errorIds } }, withoutUndo, ...(discard && { discard }) },
        client.auth,
      )
      .catch(() => ({ deletion: undefined })); // none is there now
    if (!deletion || withoutUndo || random() < 0.3) continue;
    await client.deletions.undoDeletion({ projectId, deletionId: deletion.deletionId }, client.auth);
  }
}

/** Deletions that are under way: half of an error is no error to count. */
const underWay = () =>
  countOf(
    dataDir,
    `integrated_deletion where state in (${DeletionState.HIDING}, ${DeletionState.ERASING}, ${DeletionState.RESTORING})
      or state = ${DeletionState.HIDDEN} and undo_until <= ${clock.at}`,
  );

test("every counter equals a recount after any deletes, undos and discards, while events arrive, and after retention", async () => {
  let projects: Target[] = [];
  for (let round = 0; round < roundCount; round += 1) {
    const faultline = await startFaultline(config, clock);
    const client = grpcClient(faultline);
    if (round === 0) projects = await makeProjects(client);
    await Promise.all([sendOn(faultline.httpUrl, projects, 30), deleteOn(client, projects, 15)]);
    clock.at += 11 * 60_000;
    await until("no deletion to be under way", async () => (await underWay()) === 0, { deadlineMs: 40_000 });
    client.close();
    await faultline.stop();
    assert.equal(await recountOf(dataDir), [], `seed ${seed}, round ${round}`);
    await passTime(config, clock, clock.at + 40 * dayMs);
  }
  const states = await rowsOf(dataDir, "select distinct state from integrated_deletion order by state");
  assert.ok(states.length >= 2, "some were erased and some restored");
});

test.run();
