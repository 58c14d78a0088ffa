import { create } from "@bufbuild/protobuf";
import { ServiceError } from "@faultline/plugin";
import {
  ErrorReason,
  ErrorSort,
  ErrorStatus,
  GetErrorRequestSchema,
  GetErrorStatsRequestSchema,
  ListErrorsRequestSchema,
  UpdateErrorsRequestSchema,
  type Error as TrackedError,
  type GetErrorStatsResponse,
  type StatusChange,
} from "@faultline/proto";
import { badParameter } from "../http-error.ts";
import { isoTime } from "../iso-time.ts";
import { projectOf } from "../named-project.ts";
import { perPageOf, setCursorLinks } from "../pages.ts";
import { choiceParam, required, textParam, type Params } from "../params.ts";
import { hoursOf } from "../period.ts";
import type { Operation, RestCall } from "../rest.ts";

const sorts = {
  last_seen: ErrorSort.LAST_SEEN,
  first_seen: ErrorSort.FIRST_SEEN,
  frequency: ErrorSort.EVENT_COUNT,
  // The original has them with their direction as well (gitlab.md 3.6).
  last_seen_desc: ErrorSort.LAST_SEEN,
  first_seen_desc: ErrorSort.FIRST_SEEN,
  frequency_desc: ErrorSort.EVENT_COUNT,
} as const;

export const statuses = {
  unresolved: ErrorStatus.UNRESOLVED,
  resolved: ErrorStatus.RESOLVED,
  ignored: ErrorStatus.IGNORED,
} as const;

/** Unresolved errors, the last seen first, unless `status` and `sort` ask for others. */
export const listErrors: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  const status = choiceParam(params, "status", ["unresolved", "resolved", "ignored", "all"]) ?? "unresolved";
  const sort = choiceParam(params, "sort", keysOf(sorts)) ?? "last_seen";
  const request = create(ListErrorsRequestSchema, {
    projectId: projectOf(restCall).projectId,
    query: textParam(params, "query") ?? "",
    status: status === "all" ? ErrorStatus.UNSPECIFIED : statuses[status],
    sort: sorts[sort],
    pageSize: perPageOf(params),
    pageToken: textParam(params, "cursor") ?? "",
  });
  const {
    errors = [],
    nextPageToken = "",
    previousPageToken = "",
  } = await visit.host.core.errors.listErrors(request, call);
  setCursorLinks(visit, { prev: previousPageToken, next: nextPageToken });
  return {
    status: 200,
    body: (errors as TrackedError[]).map((error) => ({ ...errorBody(error), hourly_counts: error.hourlyCounts })),
  };
};

export const getError: Operation = async (restCall) => {
  const { visit, call } = restCall;
  const { error } = await visit.host.core.errors.getError(create(GetErrorRequestSchema, namedError(restCall)), call);
  return { status: 200, body: errorBody(error as TrackedError) };
};

export const updateError: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  const { projectId, errorId } = namedError(restCall);
  const request = create(UpdateErrorsRequestSchema, { projectId, changes: [{ errorId, status: statusOf(params) }] });
  const { errors = [] } = await visit.host.core.errors.updateErrors(request, call);
  const [error] = errors as TrackedError[];
  if (!error) throw new ServiceError(ErrorReason.ERROR_NOT_FOUND, "There is no such error in this project.");
  return { status: 200, body: errorBody(error) };
};

/** Sets one status for the errors `ids`; those that are not found are left out of the answer. */
export const updateErrors: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  const status = statusOf(params);
  const request = create(UpdateErrorsRequestSchema, {
    projectId: projectOf(restCall).projectId,
    changes: idsOf(params).map((errorId) => ({ errorId, status })),
  });
  const { errors = [], undo = [] } = await visit.host.core.errors.updateErrors(request, call);
  return {
    status: 200,
    body: {
      errors: (errors as TrackedError[]).map(errorBody),
      undo: (undo as StatusChange[]).map((change) => ({ id: change.errorId, status: statusName(change.status) })),
    },
  };
};

/** The bar graph: events in each hour of a `period`, a day unless given. */
export const getErrorStats: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  const hourCount = hoursOf(params, "24h");
  const request = create(GetErrorStatsRequestSchema, { ...namedError(restCall), hourCount });
  const stats = (await visit.host.core.errors.getErrorStats(request, call)) as GetErrorStatsResponse;
  return {
    status: 200,
    body: {
      start: isoTime(stats.startTime),
      interval: "1h",
      counts: stats.counts,
      last_hour_running: stats.lastHourRunning,
    },
  };
};

/** The project and error of a route that names both. */
export function namedError(restCall: RestCall): { projectId: number; errorId: string } {
  return { projectId: projectOf(restCall).projectId, errorId: restCall.visit.path["error_id"] ?? "" };
}

function statusOf(params: Params): ErrorStatus {
  return statuses[required(choiceParam(params, "status", keysOf(statuses)), "status")];
}

export function statusName(status: ErrorStatus): string | null {
  return keysOf(statuses).find((name) => statuses[name] === status) ?? null;
}

/** `ids` as a list, in which JSON may have numbers, or as text joined by commas. */
export function idsOf({ ids }: Params): string[] {
  if (ids === undefined || ids === null) throw badParameter("ids", "is missing");
  const list: unknown[] = typeof ids === "string" ? ids.split(",") : Array.isArray(ids) ? ids : [];
  const texts = list.map((id) => (typeof id === "number" ? String(id) : id));
  if (!texts.every((id) => typeof id === "string")) throw badParameter("ids", "is invalid");
  return texts as string[]; // as checked
}

function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): Key[] {
  return Object.keys(table) as Key[]; // a literal table has no other keys
}

/** Named as in the original's list of errors (gitlab.md 6.1), then ours. */
function errorBody(error: TrackedError): object {
  return {
    id: error.errorId,
    title: error.title,
    type: error.type,
    message: error.value,
    culprit: error.culprit,
    status: statusName(error.status),
    count: error.eventCount,
    user_count: error.affectedUserCount,
    first_seen: isoTime(error.firstSeenTime),
    last_seen: isoTime(error.lastSeenTime),
    external_url: error.externalUrl || null,
    project_id: error.projectId,
    level: error.level,
    platform: error.platform,
    settled_last_seen: isoTime(error.settledLastSeenTime),
    first_release: error.firstRelease || null,
    last_release: error.lastRelease || null,
    first_commit: error.firstCommit || null,
    last_commit: error.lastCommit || null,
    first_release_url: error.firstReleaseUrl || null,
    last_release_url: error.lastReleaseUrl || null,
    status_changed_at: isoTime(error.statusChangedTime),
    reopened_at: isoTime(error.reopenedTime),
  };
}
