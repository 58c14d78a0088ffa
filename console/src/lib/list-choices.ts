/** What the choices of the errors list ask the service for. */

import type { ErrorSort, ErrorStatus } from "./messages.ts";
import type { SortKey, StatusTab } from "./route.ts";

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
};
