import { join } from "node:path";
import { probe } from "../command.ts";
import type { Program } from "../feature.ts";
import { feedbackFeatures } from "../feedback-features.ts";
import type { Language } from "../language.ts";
import { wholeLarge } from "../report-features.ts";
import { standardFeatures } from "../standard-features.ts";

const programs = { report: "Report", limits: "Limits", "get-started": "GetStarted" };

/** `feedback`: the program that sends it in the form of this version. */
function language(version: string, feedback: "Feedback" | "NewestFeedback"): Language {
  const classes: Partial<Record<Program, string>> = { ...programs, feedback };
  const jar = `sentry-${version}.jar`;
  return {
    name: "java",
    sdk: "io.sentry:sentry",
    version,
    build: (dir) => [
      probe("mvn", "-version"),
      probe("javac", "-version"),
      {
        words: ["mvn", "-B", "dependency:copy", `-Dartifact=io.sentry:sentry:${version}`, `-DoutputDirectory=${dir}`],
        cwd: dir,
        limitSeconds: 240,
      },
      {
        words: ["javac", "-encoding", "UTF-8", "-cp", join(dir, jar), "-d", dir, ...sourcesOf(classes)],
        cwd: import.meta.dirname,
        limitSeconds: 60,
      },
    ],
    start: (dir, program) => ({
      words: ["java", "-cp", `${join(dir, jar)}:${dir}`, classes[program] ?? program],
      cwd: dir,
      limitSeconds: 60,
    }),
    features: [
      ...standardFeatures(version, {
        types: ["IllegalArgumentException", "Report$PaymentException"],
        raisedIn: "charge",
        unhandled: { type: "IllegalStateException", level: "fatal", statesHandled: true },
        large: wholeLarge,
        sessions: { healthy: 1, crashed: 1 },
      }),
      ...feedbackFeatures({ saysWhere: feedback === "NewestFeedback" }),
    ],
    remarks: [],
  };
}

const sourcesOf = (classes: Partial<Record<Program, string>>) => Object.values(classes).map((name) => `${name}.java`);

export const java = language("6.18.1", "Feedback");

export const newestJava = language("8.62.0", "NewestFeedback");
