/** Does what the get-started page shows; test/unit/console/snippets.test.ts keeps the two equal. */
// snippet: start
// instrumentation.js
import * as Sentry from "@sentry/nextjs";

export function register() {
  Sentry.init({
    dsn: process.env.FAULTLINE_TEST_DSN,
    debug: true,
  });
}

export const onRequestError = Sentry.captureRequestError;
// snippet: end
