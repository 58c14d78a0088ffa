/**
 * Measures ingestion against the floor on this machine, in one run: `npm run bench -- [--rounds 3] [--seconds 5]
 * [--connections 64]`. Fails when an event was refused or an acknowledged one is not readable.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { grpcClient } from "../support/grpc.ts";
import { createProject } from "../support/project.ts";
import { startServer } from "../support/server.ts";
import { storedEventCount } from "../support/stored.ts";
import type { GeneratorOptions, GeneratorResult } from "./generator.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "5" },
    connections: { type: "string", default: "64" },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const connections = Number(values.connections);
const warmUpSeconds = 2;
const sizes = [5_000, 64_000];

const floor = spawn(process.execPath, [join(import.meta.dirname, "floor.ts")], {
  stdio: ["ignore", "pipe", "inherit"],
});
process.on("exit", () => floor.kill());
const [floorAddress] = (await once(floor.stdout, "data")) as [Buffer];
const server = await startServer();
const project = await createProject(server);

const [cpu] = cpus();
console.log(
  `Node ${process.version}, ${cpu?.model.trim()}, ${cpus().length} cores, shared by server and load generator.`,
);
console.log(
  `SQLite, synchronous=FULL. ${connections} keep-alive connections, gzip bodies, 200 errors, new ids throughout.`,
);
console.log(
  `${rounds} rounds of ${seconds} s each after a warm-up of ${warmUpSeconds} s, floor and ours in turn; medians.\n`,
);

const target = `/api/${project.id}/envelope/?sentry_key=${project.key}&sentry_version=7`;
const doors = { floor: floorAddress.toString().trim(), ours: server.url };
let acknowledged = 0;
let refused = 0;
let seed = 0;
console.log("   body   floor/s    ours/s   ratio   floor p50/p99 ms    ours p50/p99 ms   ours, each round");
for (const bytes of sizes) {
  const results: Record<keyof typeof doors, GeneratorResult[]> = { floor: [], ours: [] };
  for (let round = 0; round <= rounds; round += 1)
    for (const door of ["floor", "ours"] as const) {
      seed += 1;
      const roundSeconds = round === 0 ? warmUpSeconds : seconds;
      const result = await generate({ url: doors[door], target, bytes, seconds: roundSeconds, connections, seed });
      if (round > 0) results[door].push(result);
      if (door === "ours") acknowledged += result.acknowledged;
      refused += result.refused + result.unanswered;
    }
  const floorRate = median(results.floor.map(rate));
  const oursRate = median(results.ours.map(rate));
  console.log(
    [
      `${bytes / 1000} kB`.padStart(7),
      whole(floorRate).padStart(9),
      whole(oursRate).padStart(9),
      (oursRate / floorRate).toFixed(2).padStart(7),
      latencies(results.floor).padStart(18),
      latencies(results.ours).padStart(18),
      `  ${results.ours.map((result) => whole(rate(result))).join(" ")}`,
    ].join(" "),
  );
}

const client = grpcClient(server);
const readable = await storedEventCount(client, project.id);
client.close();
console.log(`\nMemory of our server: ${memory("VmHWM")} at most, ${memory("VmRSS")} at the end.`);
console.log(
  `Acknowledged ${whole(acknowledged)}, readable ${whole(readable)}; refused or unanswered ${whole(refused)}.`,
);
await server.stop();
floor.kill();
process.exitCode = acknowledged === readable && refused === 0 ? 0 : 1;

async function generate(options: GeneratorOptions): Promise<GeneratorResult> {
  const program = join(import.meta.dirname, "generator.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify(options)]);
  return JSON.parse(stdout) as GeneratorResult;
}

function rate(result: GeneratorResult): number {
  return result.acknowledged / result.seconds;
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

function latencies(results: readonly GeneratorResult[]): string {
  const of = (pick: (result: GeneratorResult) => number) => median(results.map(pick)).toFixed(1);
  return `${of((result) => result.p50Ms)} / ${of((result) => result.p99Ms)}`;
}

function whole(number: number): string {
  return Math.round(number).toLocaleString("en");
}

/** A line of /proc/<pid>/status in megabytes; Linux only. */
function memory(name: "VmHWM" | "VmRSS"): string {
  try {
    const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(
      readFileSync(`/proc/${server.pid}/status`, "utf8"),
    )?.[1];
    return `${Math.round(Number(kilobytes) / 1024)} MB`;
  } catch {
    return "unknown (no /proc)";
  }
}
