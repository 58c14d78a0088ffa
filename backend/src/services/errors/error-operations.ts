import { searchHeaders, searchHeadersOf, ServiceError } from "@faultline/plugin";
import {
  badParameter,
  bodyOf,
  cursorPage,
  hours,
  namedParam,
  operation,
  type Parameter,
  paramsOf,
  periodParam,
  required,
  single,
  textInPath,
  textParam,
  whole,
  withDefault,
} from "@faultline/plugin/rest";
import {
  ErrorReason,
  ErrorSchema,
  ErrorService,
  ErrorSort,
  ErrorStatus,
  GetErrorCountResponseSchema,
  GetErrorProjectResponseSchema,
  GetErrorStatsResponseSchema,
  PreviewRegroupingResponseSchema,
  RegroupedErrorSchema,
  RegroupingJoinSchema,
  RegroupingSplitSchema,
  SearchValueSchema,
  StatusChangeSchema,
  UpdateErrorsResponseSchema,
} from "@faultline/proto";

const tag = "Errors";
const { method } = ErrorService;

const sorts = {
  last_seen: ErrorSort.LAST_SEEN,
  first_seen: ErrorSort.FIRST_SEEN,
  frequency: ErrorSort.EVENT_COUNT,
  users: ErrorSort.USER_COUNT,
  // The original also has these names with their direction (gitlab.md 3.6).
  last_seen_desc: ErrorSort.LAST_SEEN,
  first_seen_desc: ErrorSort.FIRST_SEEN,
  frequency_desc: ErrorSort.EVENT_COUNT,
} as const;

export const statuses = {
  unresolved: ErrorStatus.UNRESOLVED,
  resolved: ErrorStatus.RESOLVED,
  ignored: ErrorStatus.IGNORED,
} as const;

/** The words for statuses in a search. */
export const searchedStatuses = { ...statuses, all: ErrorStatus.UNSPECIFIED } as const;

export const statusWord = (of: ErrorStatus): string | null =>
  Object.entries(searchedStatuses).find(([, status]) => status === of)?.[0] ?? null;

/** The shared schema of these fields, regardless of their message. */
export const digits = { pattern: "^[1-9]\\d*$" };
export const hexDigits = { pattern: "^[0-9a-f]{32}$" };
export const level = { enum: ["fatal", "error", "warning", "info", "debug"] };
export const commit = { pattern: "^[0-9a-f]{7,64}$" };

/** Named as in the original's list of errors (gitlab.md 6.1). */
const fields = {
  errorId: { as: "id", schema: digits },
  shortId: null,
  value: "message",
  level: { schema: level },
  eventCount: "count",
  affectedUserCount: "user_count",
  firstSeenTime: "first_seen",
  lastSeenTime: "last_seen",
  settledLastSeenTime: { as: "settled_last_seen", orNull: true },
  firstRelease: null,
  lastRelease: null,
  statusChangedTime: null,
  reopenedTime: null,
  externalUrl: null,
  firstCommit: { orNull: true, schema: commit },
  lastCommit: { orNull: true, schema: commit },
  firstReleaseUrl: null,
  lastReleaseUrl: null,
  statusChangedBy: false,
  splitFromErrorId: { as: "split_from", orNull: true },
  splitFromTime: { as: "split_at", orNull: true },
  joinedErrorIds: { as: "joined_ids", schema: digits },
  joinedToErrorId: { as: "joined_to", orNull: true },
} as const;

export const error = bodyOf(ErrorSchema, { ...fields, hourlyCounts: false, hourlyCountsStartTime: false });
const listedError = bodyOf(
  ErrorSchema,
  { ...fields, hourlyCountsStartTime: false },
  { name: "ListedError", description: "An error in a list." },
);

const changedErrors = bodyOf(
  UpdateErrorsResponseSchema,
  {
    errors: { of: error },
    undo: { of: bodyOf(StatusChangeSchema, { errorId: { as: "id", schema: digits } }, { name: null }) },
    notFoundErrorIds: "not_found",
  },
  { name: "ChangedErrors" },
);

const errorStats = bodyOf(
  GetErrorStatsResponseSchema,
  { startTime: false, staleSinceTime: null },
  { name: "ErrorStats", description: "The bar graph of an error.", further: hours },
);

export const errorInPath = {
  error_id: textInPath("The error, decimal digits.", { pattern: "^[1-9]\\d{0,17}$" }),
};

/** `ids` as a list (in JSON also of numbers), or as text joined by commas. */
export const errorIds: Parameter<string[] | undefined> = {
  schema: {
    description: "The errors, 1 to 1,000: a list, or their ids joined by commas.",
    anyOf: [
      { type: "array", items: { type: "string", pattern: "^[1-9]\\d{0,17}$" }, minItems: 1, maxItems: 1000 },
      { type: "string", pattern: "^[1-9]\\d{0,17}(,[1-9]\\d{0,17})*$" },
    ],
  },
  read(value, name) {
    if (value === undefined || value === null) return undefined;
    const sent: unknown[] = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [];
    const texts = sent.map((id) => (typeof id === "number" ? String(id) : id));
    if (!texts.every((id) => typeof id === "string")) throw badParameter(name, "is invalid");
    return texts;
  },
};

const newStatus = required(namedParam("The status to set.", statuses));

export const listErrors = operation(method.listErrors, "GET /projects/:project/error_tracking/errors", {
  tag,
  summary: "List the errors of a project",
  params: paramsOf(method.listErrors.input, {
    query: textParam("A search (docs/search.md); an `is:` in it takes the place of status.", { maxLength: 500 }),
    status: withDefault<ErrorStatus>(
      namedParam("Only this status.", searchedStatuses),
      ErrorStatus.UNRESOLVED,
      "unresolved",
    ),
    sort: withDefault<ErrorSort>(namedParam("The order, always descending.", sorts), ErrorSort.LAST_SEEN, "last_seen"),
  }),
  answer: cursorPage("The errors.", listedError, {
    headers: searchHeaders,
    of: searchHeadersOf,
  }),
  refuses: [422, 429],
});

export const updateErrors = operation(method.updateErrors, "POST /projects/:project/error_tracking/errors/bulk", {
  tag,
  summary: "Set the status of several errors",
  params: { ids: required(errorIds), status: newStatus },
  answer: single(200, "What was changed, and how to undo it.", changedErrors),
  run: ({ params, invoke }) => invoke({ changes: params.ids.map((errorId) => ({ errorId, status: params.status })) }),
});

export const getError = operation(method.getError, "GET /projects/:project/error_tracking/errors/:error_id", {
  tag,
  summary: "Read an error",
  path: errorInPath,
  answer: single(200, "The error.", error),
});

export const updateError = operation(method.updateErrors, "PUT /projects/:project/error_tracking/errors/:error_id", {
  id: "updateError",
  tag,
  summary: "Set the status of an error",
  path: errorInPath,
  params: { status: newStatus },
  answer: single(200, "The changed error.", error),
  async run({ path: { error_id: errorId }, params, invoke }) {
    const { errors } = await invoke({ changes: [{ errorId, status: params.status }] });
    const [changed] = errors;
    if (!changed) throw new ServiceError(ErrorReason.ERROR_NOT_FOUND, "There is no such error in this project.");
    return changed;
  },
});

export const getErrorStats = operation(
  method.getErrorStats,
  "GET /projects/:project/error_tracking/errors/:error_id/stats",
  {
    tag,
    summary: "Count the events of an error by hour",
    path: errorInPath,
    params: paramsOf(method.getErrorStats.input, {
      startTime: false,
      hourCount: { as: "period", ...periodParam("24h") },
    }),
    answer: single(200, "The bar graph.", errorStats),
  },
);

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
