import type { Arrival } from "@faultline/sentry-event";

/** The context in which an item arrived. */
export type ItemArrival = Omit<Arrival, "payload" | "newEventId">;
