import { join } from "node:path";
import { probe, type Command } from "../command.ts";
import type { Language } from "../language.ts";
import { wholeLarge } from "../report-features.ts";
import { standardFeatures } from "../standard-features.ts";

const folder = import.meta.dirname;

function build(cwd: string, dir: string): Command {
  return { words: ["go", "build", "-mod=readonly", "-o", `${dir}/bin/`, "./..."], cwd, limitSeconds: 240 };
}

function common(version: string): Omit<Language, "build" | "remarks"> {
  return {
    name: "go",
    sdk: "github.com/getsentry/sentry-go",
    version,
    start: (dir, program) => ({ words: [join(dir, "bin", program)], cwd: dir, limitSeconds: 30 }),
    features: standardFeatures(version, {
      types: ["*errors.errorString", "*main.paymentError"],
      raisedIn: "charge",
      unhandled: { type: "*errors.errorString", level: "fatal", statesHandled: false },
      large: wholeLarge,
    }),
  };
}

export const go: Language = {
  ...common("0.20.0"),
  build: (dir) => [probe("go", "version"), build(folder, dir)],
  remarks: [
    "the SDK has no hook for panics; the program passes recovered panics to `Recover`, and the SDK sends no mechanism",
  ],
};

const newest = "0.50.0";

export const newestGo: Language = {
  ...common(newest),
  build: (dir) => [
    probe("go", "version"),
    { words: ["cp", "-R", "go.mod", "go.sum", "report", "limits", "get-started", dir], cwd: folder, limitSeconds: 10 },
    { words: ["go", "get", `github.com/getsentry/sentry-go@v${newest}`], cwd: dir, limitSeconds: 120 },
    build(dir, dir),
  ],
  remarks: [],
};
