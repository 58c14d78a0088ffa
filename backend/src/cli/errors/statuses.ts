import { ErrorStatus } from "@faultline/proto";

/** The statuses as words of the command line; `all` is a filter alone. */
export const statuses = {
  unresolved: ErrorStatus.UNRESOLVED,
  resolved: ErrorStatus.RESOLVED,
  ignored: ErrorStatus.IGNORED,
  all: ErrorStatus.UNSPECIFIED,
} as const;
