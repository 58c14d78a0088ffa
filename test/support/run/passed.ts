import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");
const file = join(root, "test/passed.json");

/**
 * The checks that run only if the code they test changed, each with the hash of that code when it last passed. The
 * record is committed, so that every clone has it.
 */
export class Passed {
  readonly #hash: string;

  /** `paths` are the files and folders of the repository that decide the outcome of the checks. */
  constructor(paths: readonly string[]) {
    this.#hash = hashOf(paths);
  }

  has(check: string): boolean {
    return read()[check] === this.#hash;
  }

  /** Records whether a check passed. */
  note(check: string, isPassed: boolean): void {
    const { [check]: before, ...others } = read();
    const hash = isPassed ? this.#hash : undefined;
    if (hash === before) return;
    const entries = Object.entries(hash === undefined ? others : { ...others, [check]: hash });
    writeFileSync(file, `${JSON.stringify(Object.fromEntries(entries.toSorted()), null, 2)}\n`);
  }
}

function read(): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, string>>;
}

/** The hash of the names and current contents of the files that git tracks. */
function hashOf(paths: readonly string[]): string {
  const names = execFileSync("git", ["ls-files", "-z", "--", ...paths], { cwd: root, encoding: "utf8" });
  const hash = createHash("sha256");
  for (const name of names.split("\0").filter((one) => one !== "")) {
    const path = join(root, name);
    if (!existsSync(path)) continue; // deleted, and not committed yet
    hash.update(`${name}\0`);
    hash.update(readFileSync(path));
  }
  return hash.digest("hex").slice(0, 16);
}
