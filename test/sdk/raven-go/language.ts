import { join } from "node:path";
import * as assert from "uvu/assert";
import { probe } from "../command.ts";
import { eventOf, type Feature, type Outcome } from "../feature.ts";
import type { Language } from "../language.ts";
import { assertAccepted } from "../report-features.ts";

/**
 * The SDK of GitLab Runner. It sends to the store endpoint in an old form, and its older versions require the secret.
 */
export const ravenGo: Language = {
  name: "raven-go",
  sdk: "github.com/getsentry/raven-go",
  version: "0.2.0",
  build: (dir) => [
    probe("go", "version"),
    {
      words: ["go", "build", "-mod=readonly", "-o", join(dir, "report"), "."],
      cwd: import.meta.dirname,
      limitSeconds: 120,
    },
  ],
  start: (dir, program) => ({ words: [join(dir, program)], cwd: dir, limitSeconds: 30 }),
  features: (
    [
      ["each event is stored once and nothing else", assertCases],
      ["each request is answered 200", assertAccepted],
      ["exception with its stack", assertException],
      ["user by id, tags, release, environment", assertMessage],
      ["plain JSON up to 1,000 bytes, base64 of zlib above", assertForms],
    ] as const
  ).map(([name, check]): Feature => ({ name, program: "report", check })),
  remarks: [
    "GitLab Runner uses this SDK: configure the legacy DSN of the client key, with the secret. Without the secret, versions before 0.1.0 say `raven: dsn missing private key`; 0.2.0 accepts both",
    "one exception per event, without a chain; the SDK does not obey limits",
  ],
};

function assertCases({ events }: Outcome): void {
  assert.equal(events.map(({ tags }) => tags["case"]).toSorted(), ["long", "short", "without-secret"]);
}

function assertForms({ exchanges, output }: Outcome): void {
  assert.equal(
    exchanges.map(({ door, contentType }) => [door, contentType]),
    [
      ["store", "application/json"],
      ["store", "application/octet-stream"],
      ["store", "application/json"],
    ],
  );
  assert.match(output, "all were answered 200");
}

function assertException(outcome: Outcome): void {
  const { exceptions, level } = eventOf(outcome, "long");
  assert.equal(
    exceptions.map(({ type, value }) => [type, value]),
    [["*main.paymentError", `payment refused: ${"x".repeat(1000)}`]],
  );
  const raising = exceptions[0]?.frames.at(-1);
  assert.is(raising?.function, "charge");
  assert.ok(raising?.inApp);
  assert.is(level, "error");
}

function assertMessage(outcome: Outcome): void {
  const { message, title, level, user, release, environment } = eventOf(outcome, "short");
  assert.equal([message, title, level], ["the till is empty", "the till is empty", "warning"]);
  assert.equal([user?.id, release, environment], ["4711", "shop@1.2.3", "staging"]);
}
