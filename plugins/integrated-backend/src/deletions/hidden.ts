import type { ErrorStatus } from "@faultline/proto";

/**
 * The status, in the table alone, of an error that is deleted and not erased yet. Lists and counts walk the statuses that
 * there are, and so pass it by; whoever reads errors in another way leaves it out. Its hash is changed too, so that the
 * next event of its group begins a new error.
 */
export const hidden = -1 as ErrorStatus; // no ErrorStatus on purpose; the column takes any number
