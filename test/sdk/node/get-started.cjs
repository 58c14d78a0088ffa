/** Does what the get-started page shows; test/unit/console/snippets.test.ts keeps the two equal. */
// snippet: start
const Sentry = require("@sentry/node");

Sentry.init({
  dsn: process.env.FAULTLINE_TEST_DSN,
  debug: true,
});
// snippet: identify
Sentry.setUser({ id: "42" });
// snippet: test
Sentry.captureException(new Error("Test from Faultline"));
// snippet: end
