/**
 * Measures every bound of times and memory: `npm run test:measure [part of a path]...`. It runs the files that set
 * bounds, or send cases to a service with a memory bound, one by one with the machine for themselves. If a bound is
 * missed, it runs the file again, and the best run counts. Times are divided by how much longer than planned a fixed
 * computation took then.
 *
 * Prints a table. A machine may be busy for a while, so a missed bound fails the run only if the previous run missed it
 * too; `test/ledger.json` has its misses.
 */
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Report } from "../support/measure/measured.ts";
import { calibratedFactor } from "../support/run/deadlines.ts";
import { runOnItsOwn } from "../support/run/lane.ts";
import { readLedger, today, withMeasured, writeLedger } from "../support/run/ledger.ts";
import { limitOf } from "../support/run/report.ts";

/** The most runs of a file while one of its bounds is missed. */
const mostRuns = 3;

interface Result {
  /** The file and the name of the bound. */
  readonly bound: string;
  readonly isMet: boolean;
  /** The measured and the allowed value, for people. */
  readonly measured: string;
  readonly allowed: string;
  /** How far it is from its limit: less is better, and at most 1 is met. */
  readonly load: number;
}

const root = join(import.meta.dirname, "../..");
const reports = join(mkdtempSync(join(tmpdir(), "faultline-measures-")), "reports");
process.on("exit", () => rmSync(join(reports, ".."), { recursive: true }));
process.env["TEST_MEASURES"] = reports;
process.env["TEST_DEADLINE_FACTOR"] = String(await calibratedFactor());

const filters = process.argv.slice(2);
const files = globSync("test/{unit,flow,long,measure}/**/*.test.ts", { cwd: root })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
  .filter((file) => /\/measure\/measured\.ts"|\btestCases\(/.test(readFileSync(join(root, file), "utf8")))
  .toSorted();
if (files.length === 0) {
  console.error(`No test file with bounds matches ${filters.join(", ")}.`);
  process.exit(1);
}

const results: Result[] = [];
for (const file of files) {
  for (const result of await measure(file)) {
    console.log(lineOf(result));
    results.push(result);
  }
}
conclude();

/** The bounds of a file, each at its best. */
async function measure(file: string): Promise<Result[]> {
  const best = new Map<string, Result>();
  for (let runs = 0; runs < mostRuns && (runs === 0 || ![...best.values()].every(({ isMet }) => isMet)); runs += 1) {
    rmSync(reports, { force: true });
    const { failed, output, seconds } = await runOnItsOwn({ file, database: "sqlite" }, limitOf(file));
    if (failed > 0) console.log(output.replaceAll(/^/gm, "    "));
    const ended = { measured: `${Math.round(seconds)} s`, allowed: "passes", isMet: failed === 0, load: failed + 0.5 };
    for (const result of [{ bound: file, ...ended }, ...reported(file)]) {
      if (result.load < (best.get(result.bound)?.load ?? Infinity)) best.set(result.bound, result);
    }
  }
  return [...best.values()];
}

/** The report of a run of a file. If it reported a bound several times, the worst counts. */
function reported(file: string): Result[] {
  if (!existsSync(reports)) return [];
  const worst = new Map<string, Result>();
  for (const line of readFileSync(reports, "utf8").trimEnd().split("\n")) {
    const result = resultOf(file, JSON.parse(line) as Report);
    if (result.load > (worst.get(result.bound)?.load ?? -Infinity)) worst.set(result.bound, result);
  }
  return [...worst.values()];
}

function resultOf(file: string, { bound, value, unit, limit, floor }: Report): Result {
  const isMost = "atMost" in limit;
  const counted = isMost ? value / floor : value; // what lasts at least so long does on a fast machine too
  const load = isMost ? counted / limit.atMost : limit.atLeast / counted;
  return {
    bound: `${file}: ${bound}`,
    isMet: load <= 1,
    measured: `${Math.round(counted)} ${unit}`,
    allowed: isMost ? `<= ${limit.atMost} ${unit}` : `>= ${limit.atLeast} ${unit}`,
    load,
  };
}

function lineOf({ bound, isMet, measured, allowed }: Result): string {
  return `${isMet ? "ok    " : "MISSED"} ${measured.padStart(10)}  ${allowed.padEnd(13)}  ${bound}`;
}

function conclude(): never {
  const before = readLedger();
  const missed = results.filter(({ isMet }) => !isMet);
  const again = missed.filter(({ bound }) => before.missed.some((one) => one.bound === bound));
  console.log(`\n${results.length - missed.length} hold, ${missed.length} are missed, ${again.length} of them again`);
  if (again.length > 0) console.log(`\nMissed again:\n${again.map(lineOf).join("\n")}`);
  writeLedger(withMeasured(before, results, today()));
  process.exit(again.length > 0 ? 1 : 0);
}
