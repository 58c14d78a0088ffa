import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");
const file = join(root, "test/passed.json");

/**
 * The checks that are run only when the code they test changed, each with the hash of that code when it passed last. It is
 * committed, so that a clone knows too.
 */
export class Passed {
  readonly #hash: string;

  /** `paths`: the files and folders of the repository that a change of the checks' outcome can come from. */
  constructor(paths: readonly string[]) {
    this.#hash = hashOf(paths);
  }

  has(check: string): boolean {
    return read()[check] === this.#hash;
  }

  /** Notes that a check passed, or did not. */
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

/** Of the names and contents of the files that git tracks, as they lie there. */
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
