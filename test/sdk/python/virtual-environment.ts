import { join } from "node:path";
import type { Language } from "../language.ts";

/** The Python programs of a folder, run with packages of PyPI in a separate environment. */
export function virtualEnvironment(scripts: string, packages: readonly string[]): Pick<Language, "build" | "start"> {
  return {
    build: (dir) => [
      { words: ["python3", "-m", "venv", dir], cwd: dir, limitSeconds: 60, provides: "python3 with venv" },
      {
        words: [join(dir, "bin/pip"), "install", "--disable-pip-version-check", ...packages],
        cwd: dir,
        limitSeconds: 180,
      },
    ],
    start: (dir, program) => ({
      words: [join(dir, "bin/python"), join(scripts, `${program}.py`)],
      cwd: dir,
      limitSeconds: 30,
    }),
  };
}
