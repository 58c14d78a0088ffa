import { searchHeaders, searchHeadersOf, ServiceError } from "@faultline/plugin";
import {
  badParameter,
  byCursor,
  choice,
  count,
  cursorOf,
  cursorPage,
  each,
  hours,
  inline,
  isoTime,
  lastHourRunning,
  list,
  namedParam,
  operation,
  orEmpty,
  orNull,
  periodParam,
  positive,
  present,
  required,
  shape,
  single,
  text,
  textInPath,
  textParam,
  time,
  withDefault,
  type Field,
  type Fields,
  type Parameter,
} from "@faultline/plugin/rest";
import {
  ErrorReason,
  ErrorService,
  ErrorSort,
  ErrorSortSchema,
  ErrorStatus,
  ErrorStatusSchema,
  wordOf,
  words,
  type GetErrorStatsResponse,
  type StatusChange,
  type Error as TrackedError,
  type UpdateErrorsResponse,
} from "@faultline/proto";

const tag = "Errors";
const { method } = ErrorService;

const sorts = {
  ...words(ErrorSortSchema),
  // The original also has them with their direction (gitlab.md 3.6).
  last_seen_desc: ErrorSort.LAST_SEEN,
  first_seen_desc: ErrorSort.FIRST_SEEN,
  frequency_desc: ErrorSort.EVENT_COUNT,
} as const;

export const statuses = words(ErrorStatusSchema);
export const searchedStatuses = words(ErrorStatusSchema, "all");

export const errorIdText = text("Decimal digits.", { pattern: "^[1-9]\\d*$" });
export const level = choice("The severity.", ["fatal", "error", "warning", "info", "debug"]);
export const commit = { pattern: "^[0-9a-f]{7,64}$" };
const status = choice("The status of the error.", Object.keys(statuses));

/** The name of a status; null for none. */
export function statusName(of: ErrorStatus): string | null {
  return wordOf(ErrorStatusSchema, of) ?? null;
}

/** Named as in the original's list of errors (gitlab.md 6.1); our own fields follow. */
const errorFields: Fields<TrackedError> = {
  id: [errorIdText, (error) => error.errorId],
  short_id: [
    orNull(text("Its name for people, such as `WEB-157`, which a search finds; null: the external system has none.")),
    ({ shortId }) => shortId || null,
  ],
  title: [text("Type and first line of the newest event."), ({ title }) => title],
  type: [text("The type of the exception; empty for messages."), ({ type }) => type],
  message: [text("The value of the exception, or the message."), ({ value }) => value],
  culprit: [text("Where it happened; may be empty."), ({ culprit }) => culprit],
  status: [status, (error) => statusName(error.status)],
  count: [count("Events within the retention time."), ({ eventCount }) => eventCount],
  sampled_out_count: [
    count("Further events that spike protection did not store; at least so many."),
    ({ sampledOutCount }) => sampledOutCount,
  ],
  user_count: [count("Distinct users whom it affected."), ({ affectedUserCount }) => affectedUserCount],
  first_seen: [time("The first event."), ({ firstSeenTime }) => isoTime(firstSeenTime)],
  last_seen: [time("The newest event."), ({ lastSeenTime }) => isoTime(lastSeenTime)],
  split_from: [
    orNull(text("The error in which version 1 of grouping counted its events; null: it did not split off from one.")),
    ({ splitFromErrorId }) => splitFromErrorId || null,
  ],
  split_at: [orNull(time("When it split off; null: it did not.")), ({ splitFromTime }) => isoTime(splitFromTime)],
  joined_ids: [
    list(errorIdText, {
      description: "Errors of version 1 of grouping that are the same; this one takes their events.",
    }),
    ({ joinedErrorIds }) => joinedErrorIds,
  ],
  joined_to: [
    orNull(text("The error that takes its events, because the two are the same; null: none.")),
    ({ joinedToErrorId }) => joinedToErrorId || null,
  ],
  external_url: [
    orNull(text("Its page in the external system; null with the integrated backend.")),
    ({ externalUrl }) => externalUrl || null,
  ],
  project_id: [positive("The project."), ({ projectId }) => projectId],
  level: [level, (error) => error.level],
  platform: [text("The SDK's platform, such as `node`."), ({ platform }) => platform],
  settled_last_seen: [
    orNull(time("The newest event before the running hour; null: all lie in it.")),
    ({ settledLastSeenTime }) => isoTime(settledLastSeenTime),
  ],
  first_release: [
    orNull(text("The release of the first event that named one.")),
    ({ firstRelease }) => firstRelease || null,
  ],
  last_release: [
    orNull(text("The release of the newest event that named one.")),
    ({ lastRelease }) => lastRelease || null,
  ],
  first_commit: [
    orNull(text("The commit of the first release; null: not known.", commit)),
    ({ firstCommit }) => firstCommit || null,
  ],
  last_commit: [
    orNull(text("The commit of the last release; null: not known.", commit)),
    ({ lastCommit }) => lastCommit || null,
  ],
  first_release_url: [
    orNull(text("Where the repository shows the first release; null: no link.")),
    ({ firstReleaseUrl }) => firstReleaseUrl || null,
  ],
  last_release_url: [
    orNull(text("Where the repository shows the last release; null: no link.")),
    ({ lastReleaseUrl }) => lastReleaseUrl || null,
  ],
  status_changed_at: [
    orNull(time("When somebody last set its status; null: never.")),
    ({ statusChangedTime }) => isoTime(statusChangedTime),
  ],
  reopened_at: [
    orNull(time("When a new event reopened it; null: it did not come back.")),
    ({ reopenedTime }) => isoTime(reopenedTime),
  ],
};

const error = shape("Error", "A group of events that have the same cause.", errorFields);

const listedError = shape<TrackedError>("ListedError", "An error in a list.", {
  ...errorFields,
  hourly_counts: [
    list(count(""), { description: "Events in each of the last 24 hours, the running hour last." }),
    ({ hourlyCounts }) => hourlyCounts,
  ],
});

/** The field of answers to calls that name several errors. */
export const notFound = <Message>(ids: (message: Message) => readonly string[]): Field<Message> => [
  list(text(""), { description: "The ids, as they were sent, that name no error of the project." }),
  ids,
];

const changedErrors = shape<UpdateErrorsResponse>("ChangedErrors", "The result of a change of status.", {
  errors: each(error, ({ errors }) => errors, {
    description: "The changed errors.",
  }),
  undo: each(
    inline<StatusChange>("The status an error had before.", {
      id: [errorIdText, (change) => change.errorId],
      status: [status, (change) => statusName(change.status)],
    }),
    ({ undo }) => undo,
    { description: "What to set again to undo the call." },
  ),
  not_found: notFound(({ notFoundErrorIds }) => notFoundErrorIds),
});

const errorStats = shape<GetErrorStatsResponse>("ErrorStats", "The bar graph of an error.", {
  ...hours,
  counts: [list(count(""), { description: "Events in each hour, the oldest first." }), ({ counts }) => counts],
  ...lastHourRunning,
});

/** The error named in a path. */
export const errorInPath = {
  error_id: textInPath("The error, decimal digits.", { pattern: "^[1-9]\\d{0,17}$" }),
};

/** `ids` as a list, in JSON also of numbers, or as text joined by commas. */
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
  params: {
    query: orEmpty(
      textParam("A search (docs/search.md); an `is:` in it takes the place of status.", { maxLength: 500 }),
    ),
    status: withDefault<ErrorStatus>(
      namedParam("Only this status.", searchedStatuses),
      ErrorStatus.UNRESOLVED,
      "unresolved",
    ),
    sort: withDefault<ErrorSort>(namedParam("The order, always descending.", sorts), ErrorSort.LAST_SEEN, "last_seen"),
    ...byCursor,
  },
  answer: cursorPage("The errors.", listedError, searchHeaders),
  refuses: [422, 429],
  async run({ params, invoke }) {
    const { query, sort } = params;
    const response = await invoke({ query, status: params.status, sort, ...cursorOf(params) });
    const { errors: items, previousPageToken: previous, nextPageToken: next } = response;
    return { items, previous, next, headers: searchHeadersOf(response) };
  },
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
  run: async ({ path: { error_id: errorId }, invoke }) => present((await invoke({ errorId })).error),
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
    params: { period: periodParam("24h") },
    answer: single(200, "The bar graph.", errorStats),
    run: ({ path: { error_id: errorId }, params, invoke }) => invoke({ errorId, hourCount: params.period }),
  },
);
