import { join } from "node:path";
import type { Absent, Language } from "./language.ts";

const folder = (name: string) => join(import.meta.dirname, name);

const whole = { texts: 50, length: 4000 };

/** The SDKs at the versions of specification 4.2. */
export const languages: readonly Language[] = [
  {
    name: "node",
    sdk: "@sentry/node",
    version: "7.38.0",
    build: () => [],
    start: () => ({ words: [process.execPath, "report.cjs"], cwd: folder("node"), limitSeconds: 30 }),
    expect: {
      types: ["RangeError", "PaymentError"],
      raisedIn: "charge",
      unhandled: { type: "Error", level: "fatal", tellsHandled: true },
      large: whole,
      sendsSessions: true,
    },
    remarks: [],
  },
  {
    name: "python",
    sdk: "sentry-sdk",
    version: "1.21.0",
    build: (temp) => [
      { words: ["python3", "-m", "venv", temp], cwd: temp, limitSeconds: 60 },
      {
        words: [join(temp, "bin/pip"), "install", "--disable-pip-version-check", "sentry-sdk==1.21.0"],
        cwd: temp,
        limitSeconds: 120,
      },
    ],
    start: (temp) => ({
      words: [join(temp, "bin/python"), join(folder("python"), "report.py")],
      cwd: temp,
      limitSeconds: 30,
    }),
    expect: {
      types: ["LookupError", "PaymentError"],
      raisedIn: "charge",
      unhandled: { type: "RuntimeError", level: "error", tellsHandled: true },
      large: { texts: 10, length: 1024 },
      sendsSessions: true,
    },
    remarks: [
      "the SDK sends errors to the store endpoint and sessions to the envelope endpoint",
      "of 50 extra texts of 4,000 characters the SDK sends 10 of 1,024",
    ],
  },
  {
    name: "go",
    sdk: "github.com/getsentry/sentry-go",
    version: "0.20.0",
    build: (temp) => [
      {
        words: ["go", "build", "-mod=readonly", "-o", join(temp, "report"), "."],
        cwd: folder("go"),
        limitSeconds: 180,
      },
    ],
    start: (temp) => ({ words: [join(temp, "report")], cwd: temp, limitSeconds: 30 }),
    expect: {
      types: ["*errors.errorString", "*main.paymentError"],
      raisedIn: "charge",
      unhandled: { type: "*errors.errorString", level: "fatal", tellsHandled: false },
      large: whole,
      sendsSessions: false,
    },
    remarks: [
      "the SDK has no hook for panics; the program hands what it recovers to `Recover`, and no mechanism is sent",
    ],
  },
  {
    name: "java",
    sdk: "io.sentry:sentry",
    version: "6.18.1",
    build: (temp) => [
      {
        words: ["mvn", "-B", "dependency:copy", "-Dartifact=io.sentry:sentry:6.18.1", `-DoutputDirectory=${temp}`],
        cwd: temp,
        limitSeconds: 180,
      },
      {
        words: ["javac", "-encoding", "UTF-8", "-cp", join(temp, "sentry-6.18.1.jar"), "-d", temp, "Report.java"],
        cwd: folder("java"),
        limitSeconds: 60,
      },
    ],
    start: (temp) => ({
      words: ["java", "-cp", `${join(temp, "sentry-6.18.1.jar")}:${temp}`, "Report"],
      cwd: temp,
      limitSeconds: 60,
    }),
    expect: {
      types: ["IllegalArgumentException", "Report$PaymentException"],
      raisedIn: "charge",
      unhandled: { type: "IllegalStateException", level: "fatal", tellsHandled: true },
      large: whole,
      sendsSessions: false,
    },
    remarks: [],
  },
  {
    name: "rust",
    sdk: "sentry",
    version: "0.31.0",
    build: (temp) => [
      {
        words: ["cargo", "build", "--quiet", "--locked", "--target-dir", temp],
        cwd: folder("rust"),
        limitSeconds: 480,
      },
    ],
    start: (temp) => ({ words: [join(temp, "debug/report")], cwd: temp, limitSeconds: 30 }),
    expect: {
      types: ["CardError", "PaymentError"],
      unhandled: { type: "panic", level: "fatal", tellsHandled: true },
      large: whole,
      sendsSessions: true,
    },
    remarks: ["a handled error is sent without a stack, a panic with one"],
  },
];

/** Their captured requests are sent by test/flow/captures.test.ts. */
export const absent: readonly Absent[] = [
  {
    name: "php",
    sdk: "sentry/sentry",
    version: "3.18.0",
    reason: "no program yet, Packagist could not be reached",
  },
  {
    name: "ruby",
    sdk: "sentry-ruby",
    version: "5.9.0",
    reason: "no program yet, RubyGems could not be reached and Debian has 5.3.0",
  },
];
