import { ErrorStatus } from "@faultline/proto";

/** The statuses of errors that are shown. */
export const statuses = [ErrorStatus.UNRESOLVED, ErrorStatus.RESOLVED, ErrorStatus.IGNORED] as const;
