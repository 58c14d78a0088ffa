/** Reports with @sentry/node what test/sdk/features.ts asserts. */
const Sentry = require("@sentry/node");

Sentry.init({ dsn: process.env.FAULTLINE_TEST_DSN, release: "shop@1.2.3", environment: "staging" });

class PaymentError extends Error {
  name = "PaymentError";
}

function charge() {
  throw new PaymentError("payment refused", { cause: new RangeError("unknown card") });
}

function message(name, text, context = {}) {
  Sentry.captureMessage(text, { level: "info", ...context, tags: { case: name } });
}

try {
  charge();
} catch (error) {
  Sentry.captureException(error, { tags: { case: "handled", region: "eu-west" } });
}
for (const level of ["debug", "info", "warning", "error", "fatal"])
  message(`level-${level}`, `level ${level}`, { level });
message("user-id", "user by id", { user: { id: "4711" } });
message("user-username", "user by username", { user: { username: "ann" } });
message("user-email", "user by email", { user: { email: "ann@shop.example" } });
message("user-ip", "user by ip", { user: { ip_address: "203.0.113.7" } });
message("fingerprint-1", "the till is empty", { fingerprint: ["till"] });
message("fingerprint-2", "its drawer is stuck", { fingerprint: ["till"] });
const parts = Array.from({ length: 50 }, (_, part) => [`part-${String(part).padStart(2, "0")}`, "x".repeat(4000)]);
message("large", "a large event", { extra: Object.fromEntries(parts) });
message("unicode", "before\0after naïve 漢字 🙂");

void Sentry.flush(10_000).then(() => {
  Sentry.setTag("case", "unhandled");
  setImmediate(() => {
    throw new Error("the till fell down"); // the handler of the SDK flushes and ends the process
  });
});
