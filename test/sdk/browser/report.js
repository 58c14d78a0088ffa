/** Reports with @sentry/browser what test/sdk/report-features.ts asserts; open.ts sets the DSN. */
import * as Sentry from "@sentry/browser";

Sentry.init({ dsn: window.dsn, release: "shop@1.2.3", environment: "staging" });

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

Sentry.setTag("case", "unhandled");
setTimeout(() => {
  setTimeout(() => void Sentry.flush(10_000).then(() => (window.isDone = true)));
  throw new Error("the till fell down"); // reaches the SDK as an error of the window
});
