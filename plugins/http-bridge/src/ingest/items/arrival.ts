import type { Arrival } from "@faultline/sentry-event";

/** What is known of an item beside the item itself. */
export type ItemArrival = Omit<Arrival, "payload" | "newEventId">;
