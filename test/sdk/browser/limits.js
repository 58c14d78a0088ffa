/** Meets the limits of Faultline with @sentry/browser; test/sdk/limits.ts asserts how it goes on. */
import * as Sentry from "@sentry/browser";

Sentry.init({ dsn: window.dsn });

async function send(name, extra = {}) {
  Sentry.captureMessage(name, { tags: { case: name }, extra });
  await Sentry.flush(5_000);
}

const parts = Array.from({ length: 300 }, (_, part) => [`part-${part}`, "x".repeat(4000)]);
await send("too-large", Object.fromEntries(parts));
await send("after-413");
for (const name of ["limited-1", "limited-2", "limited-3"]) await send(name);
await new Promise((resolve) => setTimeout(resolve, 2_500));
await send("after-429");
window.isDone = true;
