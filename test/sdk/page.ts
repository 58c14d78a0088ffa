import { untried } from "../../console/src/routes/[...project]/-/error_tracking/get_started/untried.ts";
import { matrix, type Result } from "./matrix.ts";

/** docs/sdks.md. */
export function page(specified: readonly Result[], others: readonly Result[], builds: readonly Result[]): string {
  return [
    "# SDKs",
    "",
    "Written by `npm run test:sdk -- --write`. The programs in `test/sdk` report with the real SDKs to a running Faultline;",
    "what is stored is read back through gRPC. `-`: the SDK has no such thing, or it was not tried. `captured`: requests",
    "that the SDK sent elsewhere were sent again.",
    "",
    "## The versions of the specification",
    "",
    ...matrix(specified),
    "",
    "## Newest versions and other clients",
    "",
    ...matrix(others),
    "",
    "## Builds with source maps",
    "",
    "A page of TypeScript, React and Svelte is built by each bundler with Sentry's plugin, which uploads its source map with a token",
    "of the scope `upload`. Chromium opens the page, which throws with `@sentry/browser` 11.12.0.",
    "",
    ...matrix(builds),
    "",
    "## Written from documentation",
    "",
    `Get started also shows ${untried.map(({ name }) => name).join(", ")}. Their SDKs did not install where this was`,
    "written, so their lines are those of their documentation, and were not run. Events in their form, written by hand",
    "from it (`test/fixtures/sdk-forms`), are sent by `test/flow/sdk-forms.test.ts`, which asserts group, title and frames.",
    "",
  ].join("\n");
}
