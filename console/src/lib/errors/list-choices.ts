/** The requests that the choices of the errors list stand for. */

import type { ErrorSort, ErrorStatus } from "../messages.ts";
import { oneOf } from "../preferences/preferences.ts";
import type { AllErrorsQuery, SortKey, StatusTab } from "../navigation/route.ts";

const tabs = ["unresolved", "ignored", "resolved", "all"] as const satisfies readonly StatusTab[];
const sorts = ["last_seen", "first_seen", "events", "users"] as const satisfies readonly SortKey[];

/** The field of the form with the search that its selects show: a select that shows something else was changed. */
export const shownSearch = "shown";

/** The choices in an address, with the first one where it names none. */
export const listChoices = (address: URLSearchParams) => ({
  status: oneOf(tabs, address.get("status")),
  sort: oneOf(sorts, address.get("sort")),
  q: address.get("q")?.trim() ?? "",
});

export const statusTabs: Record<StatusTab, ErrorStatus> = {
  unresolved: "ERROR_STATUS_UNRESOLVED",
  ignored: "ERROR_STATUS_IGNORED",
  resolved: "ERROR_STATUS_RESOLVED",
  all: "ERROR_STATUS_UNSPECIFIED",
};

export const sortKeys: Record<SortKey, ErrorSort> = {
  last_seen: "ERROR_SORT_LAST_SEEN",
  first_seen: "ERROR_SORT_FIRST_SEEN",
  events: "ERROR_SORT_EVENT_COUNT",
  users: "ERROR_SORT_USER_COUNT",
};

/** The request for the errors of all projects. */
export const allErrorsRequest = (
  { q = "", status = "unresolved", sort = "last_seen", project = "" }: AllErrorsQuery,
  pageSize: number,
) => ({ query: q, status: statusTabs[status], sort: sortKeys[sort], projectQuery: project, pageSize });
