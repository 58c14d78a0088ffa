/** The choices of the errors list: their words in an address, their names on the page, and their requests. */

import type { ErrorSort, ErrorStatus, TrackedError } from "../messages.ts";
import { oneOf } from "../preferences/preferences.ts";
import { errorKey } from "./error-key.ts";

/** The tabs of the list in order, by their words in an address. The first tab is the default. */
export const tabs = {
  unresolved: { status: "ERROR_STATUS_UNRESOLVED", name: "Unresolved" },
  ignored: { status: "ERROR_STATUS_IGNORED", name: "Ignored" },
  resolved: { status: "ERROR_STATUS_RESOLVED", name: "Resolved" },
  all: { status: "ERROR_STATUS_UNSPECIFIED", name: "All" },
} as const satisfies Record<string, { status: ErrorStatus; name: string }>;

export type StatusTab = keyof typeof tabs;

/** The orders of the list, by their words in an address. The first order is the default. Larger values come first. */
export const sorts = {
  last_seen: {
    sort: "ERROR_SORT_LAST_SEEN",
    name: "Last seen",
    valueOf: ({ lastSeenTime }) => Date.parse(lastSeenTime ?? ""),
  },
  first_seen: {
    sort: "ERROR_SORT_FIRST_SEEN",
    name: "First seen",
    valueOf: ({ firstSeenTime }) => Date.parse(firstSeenTime ?? ""),
  },
  events: { sort: "ERROR_SORT_EVENT_COUNT", name: "Events", valueOf: ({ eventCount }) => eventCount },
  users: { sort: "ERROR_SORT_USER_COUNT", name: "Users", valueOf: ({ affectedUserCount }) => affectedUserCount },
} as const satisfies Record<string, { sort: ErrorSort; name: string; valueOf: (error: TrackedError) => number }>;

export type SortKey = keyof typeof sorts;

/** The words of a table, in order. */
export const wordsOf = <Word extends string>(table: Readonly<Record<Word, unknown>>) =>
  Object.keys(table) as [Word, ...Word[]]; // no table is empty

/** The form field with the search that its selects show: a select with a different value was changed. */
export const shownSearch = "shown";

/** The choices in an address. Omitted choices have their defaults. */
export const listChoices = (address: URLSearchParams) => ({
  status: oneOf(wordsOf(tabs), address.get("status")),
  sort: oneOf(wordsOf(sorts), address.get("sort")),
  q: address.get("q")?.trim() ?? "",
});

/** The fields of a request for these choices. */
export const requestOf = ({ status, sort }: { readonly status: StatusTab; readonly sort: SortKey }) => ({
  status: tabs[status].status,
  sort: sorts[sort].sort,
});

/** The request for the errors of all projects. `project` is a part of project paths or names. */
export const allErrorsRequest = (
  { q = "", status = "unresolved", sort = "last_seen", project = "" }: AllErrorsChoices,
  pageSize: number,
) => ({ query: q, ...requestOf({ status, sort }), projectQuery: project, pageSize });

interface AllErrorsChoices {
  readonly q?: string | undefined;
  readonly status?: StatusTab | undefined;
  readonly sort?: SortKey | undefined;
  readonly project?: string | undefined;
}

/** The first `size` errors of several projects, in the service's order for a single project. */
export function firstErrors(errors: readonly TrackedError[], sort: SortKey, size: number): TrackedError[] {
  const { valueOf } = sorts[sort];
  const byKey = (a: TrackedError, b: TrackedError) =>
    b.errorId.length - a.errorId.length || compare(b.errorId, a.errorId) || compare(errorKey(b), errorKey(a));
  return errors.toSorted((a, b) => valueOf(b) - valueOf(a) || byKey(a, b)).slice(0, size);
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
