import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FileResult, TestRun } from "./lane.ts";

const root = join(import.meta.dirname, "../../..");
const defaultLimitSeconds = 120;

/**
 * The seconds that a file may take on this machine: the seconds in its first lines, or 120, times the factor of all
 * deadlines.
 */
export function limitOf(file: string): number {
  const [limit] = firstLinesOf(file).flatMap((line) => /^\/\/ limit: (\d+) s$/.exec(line)?.[1] ?? []);
  return Number(limit ?? defaultLimitSeconds) * (Number(process.env["TEST_DEADLINE_FACTOR"]) || 1);
}

/** The first lines of a test file, in which it says what it needs. */
export function firstLinesOf(file: string): string[] {
  return readFileSync(join(root, file), "utf8").split("\n", 2);
}

/** Prints the line of a file, and all its output if it failed. */
export function report(result: FileResult): void {
  const { passed, failed, skipped, problem } = result;
  const counts = [`${passed} passed`, failed && `${failed} failed`, skipped && `${skipped} skipped`, problem];
  const mark = failed > 0 ? "FAIL" : "ok  ";
  const times = [result.seconds, result.processorSeconds].map((seconds) => `${seconds.toFixed(1).padStart(6)} s`);
  console.log(`${mark} ${times.join(" ")}  ${nameOf(result)}  ${counts.filter(Boolean).join(", ")}`);
  if (failed > 0) console.log(result.output.replaceAll(/^/gm, "    "));
}

export function nameOf({ file, database }: TestRun): string {
  return database === "postgresql" ? `${file} on PostgreSQL` : file;
}
