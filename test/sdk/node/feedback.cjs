/** Sends with @sentry/node what test/sdk/feedback-features.ts asserts. */
const Sentry = require("@sentry/node");

Sentry.init({ dsn: process.env.FAULTLINE_TEST_DSN, release: "shop@1.2.3", environment: "staging" });

Sentry.captureFeedback({ name: "Ann", email: "ann@shop.example", message: "The till is empty." });
const associatedEventId = Sentry.captureException(new Error("the till fell down"));
Sentry.captureFeedback({ name: "Bo", email: "bo@shop.example", message: "It fell.", associatedEventId });
void Sentry.flush(10_000);
