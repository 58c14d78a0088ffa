import { bodyOf, cursorPage, idInPath, operation, paramsOf, single } from "@faultline/plugin/rest";
import {
  ArtifactBundleSchema,
  ErrorReason,
  FileCoverageSchema,
  GetSourceCoverageResponseSchema,
  SourceMapService,
} from "@faultline/proto";

const tag = "Source maps";
const { method } = SourceMapService;
const errorTracking = "/projects/:project/error_tracking" as const;

const bundle = bodyOf(ArtifactBundleSchema, {
  bundleId: "id",
  release: null,
  dist: null,
  detail: null,
  lastUsedTime: null,
  groupingSinceTime: null,
});
const coverage = bodyOf(
  GetSourceCoverageResponseSchema,
  { files: { of: bodyOf(FileCoverageSchema, { verdict: null, cause: null, nextStep: null }) } },
  { name: "SourceCoverage" },
);
const release = { maxLength: 200 };

export const listArtifactBundles = operation(method.listArtifactBundles, `GET ${errorTracking}/artifact_bundles`, {
  tag,
  summary: "List the uploads of source maps and mappings",
  params: paramsOf(method.listArtifactBundles.input, { release }),
  answer: cursorPage("The uploads, the newest first.", bundle),
});

export const deleteArtifactBundle = operation(
  method.deleteArtifactBundle,
  `DELETE ${errorTracking}/artifact_bundles/:bundle_id`,
  {
    tag,
    summary: "Delete an upload of source maps",
    more: "Events that it mapped are shown as they were sent again.",
    path: { bundle_id: idInPath("The upload.", ErrorReason.ARTIFACT_BUNDLE_NOT_FOUND) },
    answer: single(200, "The deleted upload.", bundle),
  },
);

export const getSourceCoverage = operation(method.getSourceCoverage, `GET ${errorTracking}/source_coverage`, {
  tag,
  summary: "Read how much of the newest stack traces is mapped",
  params: paramsOf(method.getSourceCoverage.input, { release }),
  answer: single(200, "The files of minified code.", coverage),
});
