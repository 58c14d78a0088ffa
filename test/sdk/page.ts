import { matrix, type Result } from "./matrix.ts";

/** docs/sdks.md. */
export function page(specified: readonly Result[], others: readonly Result[]): string {
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
  ].join("\n");
}
