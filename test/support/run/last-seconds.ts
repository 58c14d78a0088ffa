import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** By the name of a file in a run: the seconds that it took last. */
export type LastSeconds = Readonly<Record<string, number>>;

/** Beside what Node compiled: without it the order is another one, and nothing else. */
const file = join(import.meta.dirname, "../../../node_modules/.cache/test-seconds.json");

/** What runs before this one noted; empty before the first. */
export function lastSeconds(): LastSeconds {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as LastSeconds;
  } catch {
    return {};
  }
}

/** Notes what the files of a run took, beside what others took before. */
export function noteSeconds(seconds: LastSeconds): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...lastSeconds(), ...seconds }, null, 1));
}
