import { ServiceError } from "@faultline/plugin";
import { FairQueue } from "@faultline/plugin/flow";
import { ErrorReason } from "@faultline/proto";

/** Concurrent calls of one project. */
export const maxRunning = 4;
const maxWaiting = 60;

/** Limits the concurrent calls of a project to four; refuses with OVERLOADED when 60 already wait. */
export function bulkhead(): FairQueue {
  return new FairQueue({
    atOnce: maxRunning,
    waiting: maxWaiting,
    refusal: () =>
      new ServiceError(
        ErrorReason.OVERLOADED,
        "Too many calls are waiting for the external system of this project. Try again in a moment.",
      ),
  });
}
