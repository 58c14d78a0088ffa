import { until } from "../../support/run/until.ts";
import type { Bench, Row, Stored } from "../bench.ts";
import { databaseSize, oldestReceivedAt } from "../database-files.ts";
import { freePort } from "../free-port.ts";
import { allAcknowledged, startGenerator } from "../generate.ts";
import { makeLargeDatabase } from "../large-database.ts";
import { fullRate, nextSeed } from "../rounds.ts";
import { doorOf, makeProject, startService } from "../service.ts";
import { megabytes, ms, whole } from "../text.ts";

const dayMs = 86_400_000;
const retentionDays = 90;
const eventsOfDay = 100_000;
const days = 3;
const goal = 2;
const load = { bytes: 5_000, groups: "200" } as const;

/** Requests of the first seconds meet a service that has compiled little yet, with and without retention. */
const warmUpSeconds = 2;
const maxSeconds = 180;

/**
 * Retention begins when the service starts. So it is started where one of three days is due and where none is, loaded at
 * half the rate that is possible from the first moment on, and both are compared for as long as the deletion takes. A
 * third start without load shows what becomes of the file.
 */
export async function* retention(bench: Bench): AsyncGenerator<Row> {
  const rate = (await rateOfEmpty(bench)) / 2;
  const firstKept = (Math.floor(Date.now() / dayMs) - retentionDays) * dayMs;
  const lastOfDue = firstKept + (days - 1) * dayMs;

  const deleting = await underLoad(bench, await makeDays(bench, lastOfDue), { rate, firstKept });
  bench.progress(`deleted within ${deleting.seconds.toFixed(1)} s, p99 ${ms(deleting.p99Ms)}`);
  const alone = await underLoad(bench, await makeDays(bench, Date.now()), { rate, seconds: deleting.seconds });
  const ratio = deleting.p99Ms / alone.p99Ms;
  yield {
    measure: `acknowledgement at half rate while a day of ${whole(eventsOfDay)} events is deleted`,
    goal: `p99 <= ${goal}x`,
    measured: `p99 ${ms(deleting.p99Ms)}, deleted within ${deleting.seconds.toFixed(1)} s`,
    floor: `p99 ${ms(alone.p99Ms)} (ours, nothing due)`,
    ratio,
    isMet: ratio <= goal,
  };

  const stored = await makeDays(bench, lastOfDue);
  const before = databaseSize(stored.dataDir);
  const { seconds, after } = await withoutLoad(stored, firstKept);
  yield {
    measure: `disk space of that day, one of ${days}`,
    goal: "comes back to the system",
    measured: `file ${megabytes(before.file)} before, ${megabytes(after.file)} ${seconds.toFixed(1)} s after the start, of which free ${megabytes(after.free)}`,
    isMet: after.file < before.file && after.free < 1e6,
  };
}

async function rateOfEmpty(bench: Bench): Promise<number> {
  bench.progress("retention: the rate that is possible");
  await using service = await startService();
  return await fullRate(bench, service.door, load); // awaited before the service stops
}

/** Three days of events, the last of which was received then. */
async function makeDays({ progress }: Bench, lastReceivedAt: number): Promise<Stored> {
  const stored = await makeProject();
  const { id: projectId } = stored.project;
  const events = days * eventsOfDay;
  makeLargeDatabase({ ...stored, projectId, events, errors: events / 100, days, until: lastReceivedAt, progress });
  return stored;
}

/** Loads a service from its start on, for some seconds or until nothing is left from before `firstKept`. */
async function underLoad(
  { connections }: Bench,
  stored: Stored,
  { rate, seconds = 0, firstKept = 0 }: { rate: number; seconds?: number; firstKept?: number },
): Promise<{ seconds: number; p99Ms: number }> {
  const port = await freePort();
  const door = doorOf({ url: `http://127.0.0.1:${port}` }, stored.project);
  const bounds = { rate, seconds: seconds || maxSeconds, connections, maxConnections: 1_000, warmUpSeconds };
  const generator = startGenerator({ ...door, ...load, ...bounds, seed: nextSeed() });
  await generator.ready; // the deletion would not wait for it
  await using service = await startService(stored, { FAULTLINE_HTTP_PORT: `${port}` });
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 1000;
  generator.go();
  const isOver = () => elapsed() >= seconds && oldestReceivedAt(service.server.dataDir) >= firstKept;
  await until("the deletion", isOver, { deadlineMs: maxSeconds * 1000, everyMs: 100 });
  const took = elapsed();
  generator.end();
  const { p99Ms } = allAcknowledged(await generator.result);
  if (p99Ms < 0) throw new Error(`the deletion was over within the warm-up of ${warmUpSeconds} s`);
  return { seconds: took, p99Ms };
}

/** Waits until nothing is left from before `firstKept` and the file has no free pages. */
async function withoutLoad(stored: Stored, firstKept: number) {
  await using service = await startService(stored);
  const { dataDir } = service.server;
  const startedAt = performance.now();
  const isOver = () => oldestReceivedAt(dataDir) >= firstKept && databaseSize(dataDir).free < 1e6;
  await until("the end of the deletion", isOver, { deadlineMs: maxSeconds * 1000, everyMs: 100 });
  return { seconds: (performance.now() - startedAt) / 1000, after: databaseSize(dataDir) };
}
