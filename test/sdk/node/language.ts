import { join } from "node:path";
import type { Command } from "../command.ts";
import type { Program } from "../feature.ts";
import { feedbackFeatures } from "../feedback-features.ts";
import { grouped, times } from "../grouping.ts";
import type { Language } from "../language.ts";
import { npmInstall } from "../npm-install.ts";
import { wholeLarge } from "../report-features.ts";
import { standardFeatures } from "../standard-features.ts";

const folder = import.meta.dirname;

function common(version: string) {
  return {
    name: "node",
    sdk: "@sentry/node",
    version,
    features: standardFeatures(version, {
      types: ["RangeError", "PaymentError"],
      raisedIn: "charge",
      unhandled: { type: "Error", level: "fatal", statesHandled: true },
      large: wholeLarge,
      sessions: { crashed: 1 },
    }),
  };
}

function start(cwd: string, program: Program): Command {
  return { words: [process.execPath, `${program}.cjs`], cwd, limitSeconds: 30 };
}

/** The version in our lock file, because a flow test uses it too. */
export const node: Language = {
  ...common("7.38.0"),
  build: () => [],
  start: (_, program) => start(folder, program),
  remarks: [],
};

const newest = "11.12.0";

const groupingFeatures = [
  grouped("five unnamed handlers of Express are five errors", "handlers", [
    times(2, "Error: the shelf is empty"),
    ["Error: customer 4711 is barred", "Error: customer 5 is barred"],
    ["Error: a price is below zero"],
    ["TypeError: Cannot read properties of undefined (reading 'code')"],
    ["TypeError: Cannot read properties of undefined (reading 'monday')"],
  ]),
  grouped("a timer and a rejection of one file are two errors", "callbacks", [
    ["Error: the receipt was refused"],
    ["Error: the till did not answer"],
  ]),
  grouped("two texts captured as exceptions are two errors", "values", [
    ["Error: the drawer does not open"],
    ["Error: the printer has no paper"],
  ]),
];

const ofNewest = common(newest);

export const newestNode: Language = {
  ...ofNewest,
  features: [...ofNewest.features, ...feedbackFeatures({ saysWhere: true }), ...groupingFeatures],
  build: (dir) => [
    {
      words: ["cp", "report.cjs", "limits.cjs", "get-started.cjs", "feedback.cjs", "grouping.cjs", dir],
      cwd: folder,
      limitSeconds: 10,
    },
    { words: ["cp", "newest.json", join(dir, "package.json")], cwd: folder, limitSeconds: 10 },
    npmInstall(dir),
  ],
  start,
  remarks: [
    "a build tool of the SDK requires a version of `sentry` (a command line) that our registry did not have; an `overrides` entry selects the newest available one",
  ],
};
