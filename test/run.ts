/**
 * Runs the test files: `npm test [part of a path]...`. It uses one lane more than there are cores. A lane is a process
 * that runs one file after the other, so that it loads each module once and its files share a service and a Chromium.
 *
 * The folder of a file decides where its services store: files directly in `flow/database` run on SQLite and on
 * PostgreSQL, other files on SQLite. PostgreSQL is one server for the run, with a database for each data directory.
 * `--long` (`npm run test:long`) runs the rest: the other flows on PostgreSQL, including the folders in
 * `flow/database`, and the files of `long`: attacks, faults, tests with many rounds, and the browser's tests of
 * administration. Files of `long` that are not about SQLite or the browser run on both databases. A named file of
 * `long` also runs without `--long`, with few rounds. `--database sqlite` or `--database postgresql` chooses for all.
 *
 * In its first lines a file may raise its limit of 120 s (`// limit: 300 s`), or ask for a separate process
 * (`// process: moves its clock`), for at most one other such file at the same time (`// quiet: needs an answer in time`),
 * or for the machine (`// alone: loads the machine`).
 *
 * A file that fails runs once more at the end, alone. If it then passes, the run passes too, and `test/ledger.json`
 * lists the file as flaky. A factor that is measured at the start lengthens limits and deadlines
 * (support/run/deadlines.ts). The bounds of times and memory have a separate run (`npm run test:measure`,
 * measure/run.ts).
 *
 * A line of the output has the seconds that a file took by the clock, and the seconds of a core. The second depend less
 * on what else runs.
 */
import { globSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { calibratedFactor } from "./support/run/deadlines.ts";
import { Lane, runOnItsOwn, type FileResult, type TestRun } from "./support/run/lane.ts";
import { lastSeconds, noteSeconds } from "./support/run/last-seconds.ts";
import { readLedger, today, withFlaky, writeLedger } from "./support/run/ledger.ts";
import { firstLinesOf, limitOf, nameOf, report } from "./support/run/report.ts";
import { startServerOfRun } from "./support/run/server-of-run.ts";

const root = join(import.meta.dirname, "..");

/** With more files than this the fault is the product's, and to run each again alone would take an hour. */
const mostRetries = 10;

const { values, positionals } = parseArgs({
  options: { database: { type: "string" }, long: { type: "boolean" } },
  allowPositionals: true,
});
const { database: only, long: isRest = false } = values;
if (only !== undefined && only !== "sqlite" && only !== "postgresql") {
  console.error(`The database is sqlite or postgresql, not ${only}.`);
  process.exit(1);
}
const filters = positionals.map((filter) => filter.replaceAll("\\", "/"));
const files = globSync("test/!(measure)/**/*.test.ts", { cwd: root })
  .concat(globSync("test/*.test.ts", { cwd: root }))
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => (filters.length === 0 ? !isCluster(file) : filters.some((filter) => file.includes(filter))))
  .toSorted();
const runs = (["sqlite", "postgresql"] as const).flatMap((database) =>
  files.filter((file) => databasesOf(file).includes(database)).map((file): TestRun => ({ file, database })),
);
if (runs.length === 0) {
  console.error(`No test file matches ${filters.join(", ")}.`);
  process.exit(1);
}

if (isRest) process.env["ROUNDS"] = "long"; // support/run/rounds.ts
const deadlineFactor = await calibratedFactor();
process.env["TEST_DEADLINE_FACTOR"] = String(deadlineFactor); // support/run/deadlines.ts, in the tests' processes
console.log(`Limits and deadlines are ${deadlineFactor} times as long as written.\n`);
if (runs.some(needsServer)) Object.assign(process.env, await startServerOfRun()); // the tests' processes get it

// Tests wait at times, so there is one lane more than cores. The longest files of the last run begin, and files that
// never ran; otherwise one of them would end long after the others.
const secondsBefore = lastSeconds();
const lengthOf = (run: TestRun) => secondsBefore[nameOf(run)] ?? Infinity;
const isBrowser = ({ file }: TestRun) => file.includes("/browser/");
const isAlone = ({ file }: TestRun) => asksToBe("alone", file);
const isQuiet = (run: TestRun) => !isAlone(run) && asksToBe("quiet", run.file);
const isOnItsOwn = (run: TestRun) => isAlone(run) || isQuiet(run) || asksToBe("process", run.file);
const firstResults = [
  ...(await runAll(
    runs.filter((run) => !isAlone(run) && !isQuiet(run)),
    cpus().length + 1,
  )),
  ...(await runAll(runs.filter(isQuiet), 2)),
  ...(await runAll(runs.filter(isAlone), 1)),
];
summarise(firstResults, await retried(firstResults.filter(({ failed }) => failed > 0)));

/** Tests with a separate command, because killing and starting several NATS servers takes minutes. */
function isCluster(file: string): boolean {
  return file.startsWith("test/cluster/");
}

/** The databases of the services of a file in this run; empty if the file is left out. */
function databasesOf(file: string): readonly TestRun["database"][] {
  const isLong = file.startsWith("test/long/");
  if (isLong && !isRest && filters.length === 0) return [];
  const isOnBoth = /^test\/(flow\/database\/[^/]+$|long\/(database|attacks|robustness)\/)/.test(file);
  // The others are no flows, are about the SQLite file, or start PostgreSQL themselves.
  const mayBeOnPostgresql = isOnBoth || /^test\/flow\/(?!sqlite\/|postgresql\/)/.test(file);
  if (isRest && !isLong) return mayBeOnPostgresql && !isOnBoth ? ["postgresql"] : [];
  if (only === "postgresql") return mayBeOnPostgresql ? ["postgresql"] : [];
  return isOnBoth && only === undefined ? ["sqlite", "postgresql"] : ["sqlite"];
}

function needsServer({ file, database }: TestRun): boolean {
  return database === "postgresql" || /\/postgresql[./]/.test(file);
}

function asksToBe(how: "alone" | "quiet" | "process", file: string): boolean {
  return firstLinesOf(file).some((line) => line.startsWith(`// ${how}:`));
}

async function runAll(queue: readonly TestRun[], laneCount: number): Promise<FileResult[]> {
  const waiting = queue.toSorted((one, other) => lengthOf(other) - lengthOf(one) || 0); // of two unknown ones NaN
  const done: FileResult[] = [];
  // A page takes a core. With more concurrent pages than cores, pages exceed their time limits.
  let browsers = 0;
  const next = () => {
    const index = waiting.findIndex((run) => !isBrowser(run) || browsers < cpus().length);
    return waiting.splice(Math.max(index, 0), 1)[0];
  };
  const work = async () => {
    const lane = new Lane();
    for (let run = next(); run !== undefined; run = next()) {
      if (isBrowser(run)) browsers += 1;
      const result = await (isOnItsOwn(run) ? runOnItsOwn(run, limitOf(run.file)) : lane.run(run, limitOf(run.file)));
      if (isBrowser(run)) browsers -= 1;
      report(result);
      done.push(result);
    }
    await lane.end();
  };
  await Promise.all(Array.from({ length: Math.min(laneCount, queue.length) }, work));
  return done;
}

/** Runs the files that failed once more, each alone. */
async function retried(failures: readonly FileResult[]): Promise<FileResult[]> {
  if (failures.length === 0) return [];
  if (failures.length > mostRetries) {
    console.log(`\n${failures.length} files failed. None is run again: more than ${mostRetries} are not flaky.`);
    return [];
  }
  // Another load may have begun since the run did.
  const factor = await calibratedFactor();
  process.env["TEST_DEADLINE_FACTOR"] = String(factor);
  console.log(`\nOnce more, alone, with limits and deadlines ${factor} times as long as written:`);
  const again: FileResult[] = [];
  for (const { file, database } of failures) {
    const result = await runOnItsOwn({ file, database }, limitOf(file));
    report(result);
    again.push(result);
  }
  return again;
}

function summarise(first: readonly FileResult[], again: readonly FileResult[]): void {
  const flaky = again.filter(({ failed }) => failed === 0).map(nameOf);
  const results = first.map((result) => again.find((other) => nameOf(other) === nameOf(result)) ?? result);
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  const list = (names: readonly string[]) => names.map((name) => `  ${name}`).join("\n");
  if (flaky.length > 0) {
    console.log(`\nFlaky, since it passed alone:\n${list(flaky)}`);
    writeLedger(withFlaky(readLedger(), flaky, today()));
  }
  const failures = results.filter((result) => result.failed > 0).map(nameOf);
  if (failures.length > 0) console.log(`\nFailed:\n${list(failures)}`);
  const processor = [...first, ...again].reduce((sum, result) => sum + result.processorSeconds, 0);
  console.log(`\n${passed} passed, ${failed} failed, in ${processor.toFixed(0)} s of a core without PostgreSQL's`);
  noteSeconds(Object.fromEntries(first.map((result) => [nameOf(result), result.seconds])));
  process.exit(failed > 0 ? 1 : 0); // and the database server with it
}
