import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEndOf } from "../run/end-of-file.ts";

/** Makes a directory that is removed at the end of the test file or process. */
export function tempDir(of: "file" | "process" = "file"): string {
  const dir = mkdtempSync(join(tmpdir(), "faultline-test-"));
  atEndOf(of, () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  return dir;
}
