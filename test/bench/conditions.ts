import { fdatasyncSync, openSync, closeSync, writeSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { tempDir } from "../support/service/temp-dir.ts";
import type { Bench } from "./bench.ts";
import { medianOf } from "./rounds.ts";

/** The conditions of the measurements, as lines of Markdown. */
export function conditions({ rounds, seconds, connections, events }: Omit<Bench, "floorUrl">): string[] {
  const [cpu] = cpus();
  const date = new Date().toISOString().slice(0, 10);
  return [
    `${date}: Node ${process.version}, ${cpu?.model.trim()}, ${cpus().length} cores, shared by the service, the floor and the load`,
    `generator. SQLite in WAL with \`synchronous=FULL\`; \`fdatasync\` of 300 kB: median ${syncMs().toFixed(2)} ms. Settings of \`npm start\`,`,
    `no rate limits. ${connections} keep-alive connections, gzip envelopes of the Node SDK's shape, new event ids throughout.`,
    `${rounds} rounds of ${seconds} s each after a warm-up of 2 s, floor and ours in turn; medians. Large database: ${events.toLocaleString("en")}`,
    `events.`,
  ];
}

/** How long the disk of the temporary directory takes to sync a batch: the median of many. */
function syncMs(): number {
  const file = openSync(join(tempDir(), "sync"), "w");
  const batch = Buffer.alloc(300_000, 1);
  const times = Array.from({ length: 200 }, (_, n) => {
    writeSync(file, batch, 0, batch.length, (n % 100) * batch.length);
    const startedAt = performance.now();
    fdatasyncSync(file);
    return performance.now() - startedAt;
  });
  closeSync(file);
  return medianOf(times, (time) => time);
}
