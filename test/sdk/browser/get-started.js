/** Does what the get-started page shows; test/unit/console/snippets.test.ts keeps the two equal. */
// snippet: start
import * as Sentry from "@sentry/browser";

Sentry.init({
  dsn: window.dsn,
  debug: true,
});
// snippet: identify
Sentry.setUser({ id: "42" });
// snippet: test
setTimeout(() => {
  throw new Error("Test from Faultline");
});
// snippet: end
setTimeout(() => void Sentry.flush(10_000).then(() => (window.isDone = true)));
