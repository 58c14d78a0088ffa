import { setTimeout as delay } from "node:timers/promises";
import type { Bench, Row } from "../bench.ts";
import { databaseSize } from "../database-files.ts";
import { allAcknowledged, generate } from "../generate.ts";
import { nextSeed } from "../rounds.ts";
import { makeProject, startService } from "../service.ts";
import { megabytes, whole } from "../text.ts";

const bytes = 25_000;
const events = 20_000;
const goalBytes = 4_000;

/** So long nothing must have changed for the service to be done with what it does afterwards. */
const quietMs = 15_000;
const giveUpMs = 600_000;

/** Bytes on disk for an event, with its payload, its index entries and counters. No two bodies are the same. */
export async function* disk(bench: Bench): AsyncGenerator<Row> {
  bench.progress(`bytes on disk, ${events} events of ${bytes / 1000} kB`);
  const stored = await makeProject();
  const before = databaseSize(stored.dataDir);
  const { bodyBytes, settledSeconds } = await fill(bench, stored);
  const after = databaseSize(stored.dataDir); // closed: the log was written back
  const perEvent = (after.file + after.log - before.file - before.log) / events;
  yield {
    measure: `bytes on disk for an event of ${bytes / 1000} kB`,
    goal: `<= ${whole(goalBytes)}`,
    measured: `${whole(perEvent)}, ${settledSeconds} s after the last; as sent in gzip: ${whole(bodyBytes)}`,
    isMet: perEvent <= goalBytes,
  };
}

async function fill(bench: Bench, stored: Parameters<typeof startService>[0] & object) {
  await using service = await startService(stored);
  const { connections } = bench;
  const load = { ...service.door, bytes, groups: "200", connections, seed: nextSeed() } as const;
  const { bodyBytes } = allAcknowledged(await generate({ ...load, seconds: 600, count: events, bodies: events }));
  const settledSeconds = await settled(bench, stored.dataDir);
  return { bodyBytes, settledSeconds };
}

/** Waits until the database does not change any more; the seconds until it last did. */
async function settled({ progress }: Bench, dataDir: string): Promise<number> {
  const startedAt = performance.now();
  let changedAt = startedAt;
  let last = "";
  while (performance.now() - changedAt < quietMs && performance.now() - startedAt < giveUpMs) {
    const size = databaseSize(dataDir);
    const now = JSON.stringify(size);
    if (now !== last) {
      if (last !== "") changedAt = performance.now();
      last = now;
      progress(`file ${megabytes(size.file)}, of which free ${megabytes(size.free)}, log ${megabytes(size.log)}`);
    }
    await delay(1_000);
  }
  return Math.round((changedAt - startedAt) / 1000);
}
