import { join } from "node:path";
import type { Language } from "../language.ts";
import type { Expected } from "../report-features.ts";
import { standardFeatures } from "../standard-features.ts";

function language(version: string, large: Expected["large"], remarks: readonly string[]): Language {
  return {
    name: "python",
    sdk: "sentry-sdk",
    version,
    build: (dir) => [
      { words: ["python3", "-m", "venv", dir], cwd: dir, limitSeconds: 60, provides: "python3 with venv" },
      {
        words: [join(dir, "bin/pip"), "install", "--disable-pip-version-check", `sentry-sdk==${version}`],
        cwd: dir,
        limitSeconds: 180,
      },
    ],
    start: (dir, program) => ({
      words: [join(dir, "bin/python"), join(import.meta.dirname, `${program}.py`)],
      cwd: dir,
      limitSeconds: 30,
    }),
    features: standardFeatures(version, {
      types: ["LookupError", "PaymentError"],
      raisedIn: "charge",
      unhandled: { type: "RuntimeError", level: "error", tellsHandled: true },
      large,
      sessions: { healthy: 2, errored: 1 },
    }),
    remarks,
  };
}

export const python = language("1.21.0", { texts: 10, length: 1024 }, [
  "the SDK sends errors to the store endpoint and sessions to the envelope endpoint",
  "of 50 texts of 4,000 characters the SDK sends 10 of 1,024",
]);

export const newestPython = language("2.75.0", { texts: 10, length: 4000 }, ["of 50 texts the SDK sends 10"]);
