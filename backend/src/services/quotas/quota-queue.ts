import type { IngestQueue } from "@faultline/plugin";
import type { Quotas } from "./quotas.ts";
import { weightsOf } from "./weight.ts";

/**
 * Refuses what is beyond a project's quota before it meets what others sent: a batch holds only what was let in. Doors ask
 * before they read a body; this holds for the bodies that were under way then, and for callers that are no SDKs.
 */
export function quotaQueue(queue: IngestQueue, quotas: Quotas): IngestQueue {
  return {
    async accept(intake) {
      const weights = weightsOf(intake);
      quotas.take(weights);
      let isStored = false;
      try {
        await queue.accept(intake);
        isStored = true;
      } finally {
        quotas.settle(weights, isStored);
      }
    },
  };
}
