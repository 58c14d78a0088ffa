import { invalidField, type Handlers } from "@faultline/plugin";
import { OutcomeService } from "@faultline/proto";
import type { CoreCall } from "../access/guard.ts";
import type { Outcomes } from "./outcomes.ts";

const maxHours = 2160;

/** The items that were not stored, and why. */
export function outcomeService(outcomes: Outcomes): Handlers<typeof OutcomeService, CoreCall> {
  return {
    async listOutcomes({ projectId, hourCount }) {
      if (hourCount > maxHours) throw invalidField("hour_count", "Request 1 to 2,160 hours (90 days).");
      return outcomes.list(projectId, hourCount || 24);
    },

    async *watchRefusals({ projectId }, { signal }) {
      yield* outcomes.watch(projectId, signal ?? new AbortController().signal);
    },
  };
}
