/** Does what the get-started page shows; test/unit/console/snippets.test.ts keeps the two equal. */
import * as Sentry from "@sentry/nextjs";

export const dynamic = "force-dynamic";

// snippet: identify
Sentry.setUser({ id: "42" });
// snippet: test
// app/faultline-test/route.js
export function GET() {
  throw new Error("Test from Faultline");
}
// snippet: end
