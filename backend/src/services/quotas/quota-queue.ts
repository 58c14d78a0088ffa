import type { IngestQueue } from "@faultline/plugin";
import type { Quotas } from "./quotas.ts";
import { weightsOf } from "./weight.ts";

/**
 * Refuses intakes beyond a project's quota before they join a batch with those of others. The bridge checks the quota
 * before it reads a body; this check covers bodies that were arriving then, and callers that are not SDKs.
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
