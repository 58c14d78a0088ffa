import type { ErrorStatus } from "@faultline/proto";

/**
 * The status of an error that is deleted and not erased yet; it exists in the table only. Lists and counts walk the
 * statuses that are shown, and so skip it; any other read of errors must leave it out. The hash of the error is changed
 * too, so that the next event of its group begins a new error.
 */
export const hidden = -1 as ErrorStatus; // no ErrorStatus on purpose; the column takes any number
