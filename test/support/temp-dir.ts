import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const made: string[] = [];
process.on("exit", () => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});
process.once("SIGTERM", () => process.exit(1)); // the runner's time limit: without a handler `exit` would not come

/** Makes a directory that is removed when the process ends. */
export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "faultline-test-"));
  made.push(dir);
  return dir;
}
