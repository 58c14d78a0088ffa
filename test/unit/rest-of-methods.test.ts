import { test } from "uvu";
import * as assert from "uvu/assert";
import { coreMethods, restOperations } from "../permissions/operations.ts";

const uploads = "Builds upload below /api/0, whose chunks are bytes; a body of REST has at most 64 KiB of JSON.";
const events = "Programs send events to the address of a DSN, or over gRPC many at once.";

/** The methods for tokens that have no operation of the REST API, and why. */
const without: Readonly<Record<string, string>> = {
  "ErrorService.UpdateMatchingErrors": "POST /bulk_updates does the same in one call.",
  "SourceMapService.GetUploadLimits": uploads,
  "SourceMapService.PutChunk": uploads,
  "SourceMapService.AssembleArtifactBundle": uploads,
  "IngestService.ReportEvents": events,
  "IngestService.ReportSessions": events,
  "IngestService.ReportFeedback": events,
};

test("each method that a token may call has an operation of the REST API, or a reason why not", () => {
  const served = new Set(restOperations.map(({ method }) => method.toString()));
  const forTokens = coreMethods.filter(({ desc, need }) => {
    const isForTokens = need.who !== "anyone" && need.scope !== "session"; // a person who signs in has no token yet
    return isForTokens && desc.methodKind === "unary"; // REST has no streams
  });
  const missing = forTokens.filter(({ desc }) => !served.has(desc.toString())).map(({ name }) => name);
  assert.equal(missing.toSorted(), Object.keys(without).toSorted());
});

test("REST leaves out streams, what needs a session, and what needs no token", () => {
  const served = new Set(restOperations.map(({ method }) => method.toString()));
  const others = coreMethods.filter(
    ({ desc, need }) => desc.methodKind !== "unary" || need.who === "anyone" || need.scope === "session",
  );
  assert.equal(
    others.filter(({ desc }) => served.has(desc.toString())).map(({ name }) => name),
    [],
  );
});

test.run();
