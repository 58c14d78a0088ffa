import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The seconds that each file took in its last run, by the name of the file in a run. */
export type LastSeconds = Readonly<Record<string, number>>;

/** Next to Node's compile cache. Without this file, only the order of test files changes. */
const file = join(import.meta.dirname, "../../../node_modules/.cache/test-seconds.json");

/** The seconds that earlier runs recorded; empty before the first run. */
export function lastSeconds(): LastSeconds {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as LastSeconds;
  } catch {
    return {};
  }
}

/** Records the seconds of the files of a run, and keeps the seconds of other files. */
export function noteSeconds(seconds: LastSeconds): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...lastSeconds(), ...seconds }, null, 1));
}
