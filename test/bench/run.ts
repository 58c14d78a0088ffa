/**
 * Measures what docs/performance.md promises and prints it as a Markdown table: `npm run bench -- [--only
 * rates,latency] [--rounds 3] [--seconds 5] [--connections 64] [--events 1000000] [--storm-seconds 600] [--before
 * <checkout>]`. Progress goes to stderr. The data is in the directory for temporary files, which should be on the disk
 * to measure; TMPDIR moves it. 10,000,000 events take 4 GB there. Fails if a measure fails; a missed goal is only
 * reported. `--before` names an installed checkout of another version, to compare rates with in turn.
 */
import { parseArgs } from "node:util";
import type { Bench, Measure, Row, Stored } from "./bench.ts";
import { conditions } from "./conditions.ts";
import { makeLargeDatabase } from "./large-database.ts";
import { cluster } from "./measures/cluster.ts";
import { before } from "./measures/before.ts";
import { disk } from "./measures/disk.ts";
import { filled } from "./measures/filled.ts";
import { grouping } from "./measures/grouping.ts";
import { idleMemory } from "./measures/idle-memory.ts";
import { latency } from "./measures/latency.ts";
import { notifications } from "./measures/notifications.ts";
import { overload } from "./measures/overload.ts";
import { pages } from "./measures/pages.ts";
import { profile } from "./measures/profile.ts";
import { rates } from "./measures/rates.ts";
import { reads } from "./measures/reads.ts";
import { retention } from "./measures/retention.ts";
import { searches } from "./measures/searches.ts";
import { sourceMaps } from "./measures/source-maps.ts";
import { start } from "./measures/start.ts";
import { storm } from "./measures/storm.ts";
import { makeProject } from "./service.ts";
import { startFloor } from "./start-floor.ts";

const measures: Readonly<Record<string, Measure>> = {
  idleMemory,
  rates,
  before,
  profile,
  grouping,
  latency,
  filled,
  reads,
  searches,
  sourceMaps,
  pages,
  disk,
  start,
  retention,
  overload,
  notifications,
  storm,
  cluster,
};

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "5" },
    connections: { type: "string", default: "64" },
    events: { type: "string", default: "1000000" },
    before: { type: "string" },
    "storm-seconds": { type: "string", default: "600" },
  },
});
const wanted = values.only?.split(",") ?? Object.keys(measures);
const unknown = wanted.filter((name) => !Object.hasOwn(measures, name));
if (unknown.length > 0)
  throw new Error(`no such measure: ${unknown.join(", ")}; there are ${Object.keys(measures).join(", ")}`);

process.once("SIGINT", () => process.exit(130)); // so that what was started and made goes
const startedAt = performance.now();
const progress = (text: string) => {
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.error(`${String(seconds).padStart(5)} s  ${text}`);
};
const large = new Map<number, Promise<Stored>>();
const bench: Bench = {
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  connections: Number(values.connections),
  events: Number(values.events),
  before: values.before,
  stormSeconds: Number(values["storm-seconds"]),
  floorUrl: await startFloor(),
  largeDatabase(events) {
    const made = large.get(events) ?? makeLarge(events);
    large.set(events, made);
    return made;
  },
  progress,
};

console.log(conditions(bench).join("\n"));
console.log("\n| Measure | Goal | Measured | Floor | Ratio | Met |");
console.log("| --- | --- | --- | --- | --- | --- |");
for (const name of wanted) {
  progress(`-- ${name}`);
  try {
    for await (const row of measures[name]?.(bench) ?? []) console.log(line(row));
  } catch (error) {
    process.exitCode = 1;
    console.error(error);
    const [reason = ""] = String(error).split("\n", 1);
    console.log(line({ measure: name, goal: "", measured: `failed: ${reason}` }));
  }
}
process.exit();

async function makeLarge(events: number): Promise<Stored> {
  progress(`making a database of ${events.toLocaleString("en")} events`);
  const stored = await makeProject();
  makeLargeDatabase({ ...stored, projectId: stored.project.id, events, errors: events / 100, progress });
  return stored;
}

function line({ measure, goal, measured, floor = "", ratio, isMet }: Row): string {
  const met = isMet === undefined ? "" : isMet ? "yes" : "no";
  return `| ${[measure, goal, measured, floor, ratio?.toFixed(2) ?? "", met].join(" | ")} |`;
}
