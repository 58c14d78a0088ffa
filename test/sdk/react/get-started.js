/** Does what the get-started page shows; test/unit/console/snippets.test.ts keeps the two equal. */
import { createElement } from "react";
// snippet: start
import * as Sentry from "@sentry/react";
import { createRoot } from "react-dom/client";

Sentry.init({
  dsn: window.dsn,
  debug: true,
});

const root = createRoot(document.getElementById("root"), {
  onUncaughtError: Sentry.reactErrorHandler(),
  onCaughtError: Sentry.reactErrorHandler(),
  onRecoverableError: Sentry.reactErrorHandler(),
});
// snippet: identify
Sentry.setUser({ id: "42" });
// snippet: test
function Broken() {
  throw new Error("Test from Faultline");
}
// snippet: end
root.render(createElement(Broken));
setTimeout(() => void Sentry.flush(10_000).then(() => (window.isDone = true)), 500);
