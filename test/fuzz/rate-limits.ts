import type { Admission, RateCategory } from "@faultline/plugin";
import * as fc from "fast-check";
import * as assert from "uvu/assert";
import { RateLimits } from "../../backend/src/host/ingest/rate-limits.ts";
import { nobodyElse } from "../support/service/joined-processes.ts";
import type { Claim } from "./claim.ts";

const categories: readonly RateCategory[] = ["error", "security", "session", "feedback"];
const rate = fc.constantFrom(0, 1, 2, 3, 7);
const step = fc.record({
  /** Milliseconds since the step before. */
  after: fc.oneof(fc.constant(0), fc.nat({ max: 100 }), fc.nat({ max: 20_000 })),
  keyId: fc.nat({ max: 2 }),
  category: fc.constantFrom(...categories),
  times: fc.nat({ max: 80 }),
});

/** Limits hold in whatever order they are spent. */
export const rateLimitClaims: readonly Claim[] = [
  {
    claim: "in no span of time does a key or project take more than its burst and its rate times the span",
    property: fc.property(rate, rate, fc.array(step, { maxLength: 20 }), (perKey, perProject, steps) => {
      const clock = { at: 0, now: () => clock.at };
      const limits = new RateLimits(clock, { perKey, perProject }, nobodyElse);
      const taken = new Map<string, number[]>();
      for (const { after, keyId, category, times } of steps) {
        clock.at += after;
        const projectId = keyId === 0 ? 0 : 1;
        const admission: Admission = { keyId, projectId, network: "192.0.2.0/24", limits: undefined };
        for (let count = 0; count < times; count++) {
          if (limits.spend(admission, category)?.isExceeded) continue;
          for (const name of [`key ${keyId} ${category}`, `project ${projectId} ${category}`])
            taken.set(name, [...(taken.get(name) ?? []), clock.at]);
        }
      }
      for (const [name, times] of taken) assertWithin(name.startsWith("key") ? perKey : perProject, times);
    }),
  },
];

/** Ten seconds' worth in a burst, and then the rate. */
function assertWithin(perSecond: number, times: readonly number[]): void {
  if (perSecond === 0) return;
  // Between the first of an instant and the last of another lie the most.
  for (const [first, from] of times.entries()) {
    if (times[first - 1] === from) continue;
    for (const [last, to] of times.entries()) {
      if (last < first || times[last + 1] === to) continue;
      const most = perSecond * (10 + (to - from) / 1000) + 1e-6;
      assert.ok(last - first + 1 <= most, `${last - first + 1} from ${from} to ${to} ms at ${perSecond} a second`);
    }
  }
}
