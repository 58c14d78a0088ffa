import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** The root of the project. */
export const root = join(import.meta.dirname, "../../..");

/** All files of the project by their path from the root: committed files, and new files that git does not ignore. */
export const projectFiles: readonly string[] = execFileSync(
  "git",
  ["ls-files", "--cached", "--others", "--exclude-standard", "-z"],
  { cwd: root },
)
  .toString()
  .split("\0")
  .filter((file) => file !== "" && existsSync(join(root, file))); // git lists deleted files until the next commit
