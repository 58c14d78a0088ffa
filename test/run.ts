/**
 * Runs the test files, each in a process of its own with a time limit: `npm test [part of a path]...`.
 * Three run at once. A file may raise its limit of 120 s by a first line such as `// limit: 300 s`, or ask by a line
 * `// alone: measures times` to run with no other beside it.
 */
import { globSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { runTestFile, type FileResult } from "./support/run-test-file.ts";

const root = join(import.meta.dirname, "..");
const defaultLimitSeconds = 120;

const filters = process.argv.slice(2).map((filter) => filter.replaceAll("\\", "/"));
const files = globSync("test/**/*.test.ts", { cwd: root })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
  .toSorted();
if (files.length === 0) {
  console.error(`No test file matches ${filters.join(", ")}.`);
  process.exit(1);
}

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
  process.exitCode = failed > 0 ? 1 : 0;
}
