/** Meets the limits of Faultline with @sentry/node. test/sdk/limits.ts asserts what follows. */
const { setTimeout: delay } = require("node:timers/promises");
const Sentry = require("@sentry/node");

Sentry.init({ dsn: process.env.FAULTLINE_TEST_DSN });

async function send(name, extra = {}) {
  Sentry.captureMessage(name, { tags: { case: name }, extra });
  await Sentry.flush(5_000);
}

async function main() {
  const parts = Array.from({ length: 300 }, (_, part) => [`part-${part}`, "x".repeat(4000)]);
  await send("too-large", Object.fromEntries(parts));
  await send("after-413");
  for (const name of ["limited-1", "limited-2", "limited-3"]) await send(name);
  await delay(2_500);
  await send("after-429");
}

void main();
