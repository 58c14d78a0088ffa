/** The process of a lane: runs the test files that lane.ts sends, one after the other. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { TestRun } from "./lane.ts";
import { watchHooks } from "./hooks.ts";

/** The globals of uvu 0.5.6: whether it waits for `exec`, and the groups of tests that `exec` runs. */
const uvu = globalThis as { UVU_DEFER?: number; UVU_INDEX?: number; UVU_QUEUE?: unknown[][] };
uvu.UVU_DEFER = 1;
uvu.UVU_INDEX = 0;
const { exec, test: uvuTest } = await import("uvu");
const hooks = watchHooks(uvuTest);
const { endFile } = await import("./end-of-file.ts"); // ends the process on SIGTERM, after the hooks

const root = join(import.meta.dirname, "../../..");

process.on("message", (test: TestRun) => void run(test));
process.once("disconnect", () => process.exit());

/** Runs a file. An error outside of the tests ends the process, because the file may have left anything behind. */
async function run({ file, database }: TestRun): Promise<void> {
  process.env["TEST_DATABASE"] = database;
  process.exitCode = 0;
  uvu.UVU_QUEUE = [[null]];
  hooks.begin();
  await import(`${pathToFileURL(join(root, file)).href}?${database}`); // a file runs once for each database
  await exec();
  endFile();
  process.send?.(hooks.hasThrown() ? 1 : process.exitCode);
}
