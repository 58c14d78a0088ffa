import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import * as fc from "fast-check";
import * as assert from "uvu/assert";
import { grpcClient, type GrpcClient } from "../support/core/grpc.ts";
import { createProject, type Project } from "../support/core/project.ts";
import { recount } from "../support/database/recount.ts";
import { residentBytes } from "../support/service/resident-bytes.ts";
import { startServer } from "../support/service/server.ts";
import { storedErrors, storedEventIds } from "../support/database/stored.ts";
import { check, type CheckOptions } from "./claim.ts";
import { Lane, type Tally, type Target } from "./lane.ts";
import { sentTo } from "./request.ts";

/** Requests under way at the same time. */
const laneCount = 8;

/** By how many bytes the service may grow after the first fifth: two bodies of the largest size, decompressed. */
const maxGrowth = 128 * 1024 * 1024;

/** The requests that were sent, and their results. */
export interface Bombardment {
  readonly statuses: Readonly<Record<string, number>>;
  readonly storedCount: number;
  readonly sessionCount: number;
  readonly controlCount: number;
  readonly slowest: Tally["slowest"];
  readonly seconds: number;
  /** Bytes of the service after the first fifth and at the end; undefined on systems that do not report it. */
  readonly resident: readonly (number | undefined)[];
}

/**
 * Sends generated and damaged requests to a separate service, on eight connections. Asserts after each request that its
 * answer and the stored data are right, and at the end that the service is as sound as before.
 */
export async function bombard({ runs, seed }: CheckOptions): Promise<Bombardment> {
  const server = await startServer();
  const client = grpcClient(server);
  const startedAt = performance.now();
  try {
    const target = { server, client, control: await createProject(server) };
    const runsOfLane = Math.ceil(runs / laneCount);
    let residentEarly: number | undefined;
    const projects: Project[] = [];
    const drive = async (number: number) => {
      const project = await createProject(server);
      projects.push(project);
      const lane = new Lane(target, project, number);
      let run = 0;
      const property = fc.asyncProperty(sentTo(project), async (sent) => {
        if (++run === Math.ceil(runsOfLane / 5)) residentEarly = residentBytes(server.pid);
        await lane.send(sent);
      });
      await check(property, { runs: runsOfLane, seed: seed + number }).finally(() => lane.close());
      return lane.tally;
    };
    const tallies = await Promise.all(Array.from({ length: laneCount }, (_, number) => drive(number)));
    const resident = [residentEarly, residentBytes(server.pid)];
    const seconds = (performance.now() - startedAt) / 1000;
    for (const project of projects) await assertShown(client, project);
    await assertSound(target, tallies);
    assertFlat(resident);
    return { ...summed(tallies), resident, seconds };
  } catch (error) {
    await server.kill9();
    throw error;
  } finally {
    client.close();
  }
}

/** Whatever was stored of damaged events can be shown: one event of each error. */
async function assertShown(client: GrpcClient, { id }: Project): Promise<void> {
  for (const { errorId } of await storedErrors(client, id)) {
    const { event } = await client.errors.getEvent({ projectId: id, errorId }, client.auth);
    assert.is(event?.errorId, errorId);
  }
}

/** Every control event is stored once, nothing failed, all counts are right. */
async function assertSound({ server, client, control }: Target, tallies: readonly Tally[]): Promise<void> {
  const sent = tallies.flatMap(({ controlIds }) => [...controlIds]);
  const [error, ...others] = await storedErrors(client, control.id);
  assert.is(others.length, 0, "control events are more than one error");
  assert.is(error?.eventCount, sent.length, "control events");
  const ids = await storedEventIds(client, control.id, error?.errorId ?? "");
  assert.equal(ids.toSorted(), sent.toSorted());
  assert.not.match(server.output(), /"level":[56]0\b/);
  assert.is(await server.stop(), 0);
  const database = new DatabaseSync(join(server.dataDir, "faultline.db"), { readOnly: true });
  assert.equal(recount(database), []);
  database.close();
}

function assertFlat([early, late]: readonly (number | undefined)[]): void {
  if (process.platform !== "linux") return; // the report says that it is not known
  assert.ok(early !== undefined && late !== undefined, "the memory of the service is not known");
  assert.ok(Number(late) - Number(early) <= maxGrowth, `grown by ${(Number(late) - Number(early)) / 1024 / 1024} MiB`);
}

function summed(tallies: readonly Tally[]) {
  const statuses: Record<string, number> = {};
  for (const tally of tallies)
    for (const [status, count] of tally.statuses) statuses[status] = (statuses[status] ?? 0) + count;
  const sum = (count: (tally: Tally) => number) => tallies.reduce((total, tally) => total + count(tally), 0);
  return {
    statuses,
    storedCount: sum(({ storedCount }) => storedCount),
    sessionCount: sum(({ sessionCount }) => sessionCount),
    controlCount: sum(({ controlIds }) => controlIds.size),
    slowest: tallies.map(({ slowest }) => slowest).reduce((a, b) => (a.ms > b.ms ? a : b)),
  };
}
