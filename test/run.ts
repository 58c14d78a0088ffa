/**
 * Runs the test files, each in a process of its own with a time limit: `npm test [part of a path]...`. With
 * `--database postgresql` services store in PostgreSQL instead of SQLite: one server for the run, and a database of its
 * own for each data directory; what is about SQLite alone is left out (support/sqlite-only.ts).
 * Three run at once. A file may raise its limit of 120 s by a first line such as `// limit: 300 s`, or ask by a line
 * `// alone: measures times` to run with no other beside it.
 */
import { globSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startPostgresql } from "./support/postgresql.ts";
import { runTestFile, type FileResult } from "./support/run-test-file.ts";
import { sqliteOnly } from "./support/sqlite-only.ts";

const root = join(import.meta.dirname, "..");
const defaultLimitSeconds = 120;

const { values, positionals } = parseArgs({
  options: { database: { type: "string", default: "sqlite" } },
  allowPositionals: true,
});
if (values.database !== "sqlite" && values.database !== "postgresql") {
  console.error(`The database is sqlite or postgresql, not ${values.database}.`);
  process.exit(1);
}
const isPostgresql = values.database === "postgresql";
const filters = positionals.map((filter) => filter.replaceAll("\\", "/"));
const files = globSync("test/**/*.test.ts", { cwd: root })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => (filters.length === 0 ? !isLong(file) : filters.some((filter) => file.includes(filter))))
  .filter((file) => !isPostgresql || isOfBoth(file))
  .toSorted();
if (files.length === 0) {
  console.error(`No test file matches ${filters.join(", ")}.`);
  process.exit(1);
}

if (isPostgresql) process.env["TEST_POSTGRESQL"] = (await startPostgresql()).url("postgres"); // the files' processes get it

// Tests wait more than they compute, so that there is one more at a time than there are cores. Those that measure times,
// load the machine or kill what is loaded run by themselves.
const aloneFolders = /^test\/(fuzz|flow\/robustness)\//;
const isAlone = (file: string) =>
  aloneFolders.test(file) || firstLinesOf(file).some((line) => /^\/\/ alone\b/.test(line));
summarise([
  ...(await runAll(
    files.filter((file) => !isAlone(file)),
    cpus().length + 1,
  )),
  ...(await runAll(files.filter(isAlone), 1)),
]);

/** What has a command of its own: several servers of NATS, killed and started again, take minutes. */
function isLong(file: string): boolean {
  return file.startsWith("test/cluster/");
}

/** Whether a service that stores in PostgreSQL passes the file, and the file runs one. */
function isOfBoth(file: string): boolean {
  return file.startsWith("test/flow/") && !sqliteOnly.some(({ path }) => file.startsWith(`test/${path}`));
}

async function runAll(queue: string[], lanes: number): Promise<FileResult[]> {
  const waiting = [...queue];
  const done: FileResult[] = [];
  const lane = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const result = await runTestFile({ root, file, limitSeconds: limitOf(file) });
      report(result);
      done.push(result);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return done;
}

function limitOf(file: string): number {
  const [limit] = firstLinesOf(file).flatMap((line) => /^\/\/ limit: (\d+) s$/.exec(line)?.[1] ?? []);
  return Number(limit ?? defaultLimitSeconds);
}

function firstLinesOf(file: string): string[] {
  return readFileSync(join(root, file), "utf8").split("\n", 2);
}

function report({ file, passed, failed, skipped, seconds, problem, output }: FileResult): void {
  const counts = [`${passed} passed`, failed && `${failed} failed`, skipped && `${skipped} skipped`, problem];
  const mark = failed > 0 ? "FAIL" : "ok  ";
  console.log(`${mark} ${seconds.toFixed(1).padStart(6)} s  ${file}  ${counts.filter(Boolean).join(", ")}`);
  if (failed > 0) console.log(output.replaceAll(/^/gm, "    "));
}

function summarise(results: readonly FileResult[]): void {
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  const failures = results.filter((result) => result.failed > 0);
  if (failures.length > 0) console.log(`\nFailed:\n${failures.map((result) => `  ${result.file}`).join("\n")}`);
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exit(failed > 0 ? 1 : 0); // and the database server with it
}
