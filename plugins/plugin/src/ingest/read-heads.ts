import type { ErrorEvent } from "@faultline/proto";

/**
 * Returns events, in their order, with the head by which they are grouped; the payload stays as it was sent. It is on the way of every
 * event: it returns the same list at once when it has nothing to change, and after a quarter of a second in any case.
 */
export type ReadHeads = (events: readonly ErrorEvent[]) => readonly ErrorEvent[] | Promise<readonly ErrorEvent[]>;
