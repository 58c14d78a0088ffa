import { matrix, type Result } from "./matrix.ts";
import { untried } from "../../console/src/routes/[...project]/-/error_tracking/get_started/snippets.ts";

/** docs/sdks.md. */
export function page(specified: readonly Result[], others: readonly Result[], builds: readonly Result[]): string {
  return [
    "# SDKs",
    "",
    "Faultline works with any Sentry SDK. This page shows which SDKs we test, and what works with each. To set up an SDK, open",
    "Get started in your project: it shows the lines to add, with your DSN.",
    "",
    "`npm run test:sdk -- --write` writes this page. Programs in `test/sdk` report with the real SDKs to a running Faultline, and",
    "the test reads the stored events back over gRPC. `-`: the SDK has no such feature, or we did not try it. `captured`: we",
    "replayed requests that the SDK had sent elsewhere.",
    "",
    "## Versions of the specification",
    "",
    ...matrix(specified),
    "",
    "## Newest versions and other clients",
    "",
    ...matrix(others),
    "",
    "## Builds with source maps",
    "",
    "Each bundler builds a page of TypeScript, React and Svelte with Sentry's plugin, which uploads the source map with a token of",
    "the scope `upload`. Chromium opens the page, and the page throws with `@sentry/browser` 11.12.0.",
    "",
    ...matrix(builds),
    "",
    "## Written from documentation",
    "",
    `Get started also shows ${untried.map(({ name }) => name).join(", ")}. We could not install these SDKs, so we took the lines`,
    "from their documentation and did not run them. `test/flow/sdk-forms.test.ts` sends events in their form, written by hand",
    "(`test/fixtures/sdk-forms`), and checks grouping, title and frames.",
    "",
  ].join("\n");
}
