import { bodyOf, operation, paramsOf, required, single, whole } from "@faultline/plugin/rest";
import {
  ErrorService,
  GetErrorCountResponseSchema,
  GetErrorProjectResponseSchema,
  PreviewRegroupingResponseSchema,
  RegroupedErrorSchema,
  RegroupingJoinSchema,
  RegroupingSplitSchema,
  SearchValueSchema,
} from "@faultline/proto";
import { error, errorIds, errorInPath, searchedStatuses } from "./error-operations.ts";

const tag = "Errors";
const { method } = ErrorService;
const errorTracking = "/projects/:project/error_tracking" as const;

export const getErrors = operation(method.getErrors, `GET ${errorTracking}/errors/batch`, {
  tag,
  summary: "Read several errors",
  params: paramsOf(method.getErrors.input, {
    errorIds: { as: "ids", ...required(errorIds) },
    query: { maxLength: 500 },
  }),
  answer: whole("The errors that were found.", error),
});

export const getErrorCount = operation(method.getErrorCount, `GET ${errorTracking}/errors/count`, {
  tag,
  summary: "Count the errors that match",
  params: paramsOf(method.getErrorCount.input, {
    query: { maxLength: 500 },
    status: { words: searchedStatuses, default: "all" },
  }),
  answer: single(200, "The number.", bodyOf(GetErrorCountResponseSchema, {}, { name: "ErrorCount" })),
  refuses: [422, 429],
});

export const getErrorProject = operation(method.getErrorProject, "GET /error_tracking/errors/:error_id/project", {
  tag,
  summary: "Find the project of an error",
  more: "Finds errors that are stored here, in projects that the caller may read.",
  path: errorInPath,
  answer: single(200, "The project.", bodyOf(GetErrorProjectResponseSchema, {}, { name: "ProjectOfError" })),
});

export const listSearchValues = operation(method.listSearchValues, `GET ${errorTracking}/search_values`, {
  tag,
  summary: "List values that a search may name",
  params: paramsOf(method.listSearchValues.input, { key: { maxLength: 200 }, prefix: { maxLength: 200 } }),
  answer: whole("At most ten, those of the most errors first.", bodyOf(SearchValueSchema)),
});

const regrouped = bodyOf(RegroupedErrorSchema);

export const previewRegrouping = operation(method.previewRegrouping, `GET ${errorTracking}/regrouping_preview`, {
  tag,
  summary: "Preview how errors would be grouped now",
  more: "Changes nothing.",
  params: paramsOf(method.previewRegrouping.input, { errorCount: { maximum: 5000 }, eventsPerError: { maximum: 50 } }),
  answer: single(
    200,
    "Which errors are one now, and which are several.",
    bodyOf(
      PreviewRegroupingResponseSchema,
      {
        joins: { of: bodyOf(RegroupingJoinSchema, { errors: { of: regrouped } }) },
        splits: { of: bodyOf(RegroupingSplitSchema, { error: { of: regrouped } }) },
      },
      { name: "RegroupingPreview" },
    ),
  ),
  refuses: [422, 429],
});
