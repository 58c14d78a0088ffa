import type { Scheduler, Tracing } from "@faultline/plugin";

/** What runs more often would be most of what there is to see. */
const leastIntervalMs = 10_000;

/** Traces scheduled work, but for what is done each few seconds. Without tracing: nothing. */
export function tracedScheduler(scheduler: Scheduler, tracing: Tracing | undefined): Scheduler {
  if (!tracing) return scheduler;
  return {
    every(intervalMs, name, task, options) {
      const traced: typeof task = async (signal) => {
        const span = tracing.begin(name, { isOwnTrace: true });
        try {
          await span.within(() => task(signal));
          span.end();
        } catch (error) {
          span.end({ isFailed: true });
          throw error;
        }
      };
      scheduler.every(intervalMs, name, intervalMs < leastIntervalMs ? task : traced, options);
    },
  };
}
