import type { Scheduler, Tracing } from "@faultline/plugin";

/** More frequent work would crowd out everything else. */
const leastIntervalMs = 10_000;

/** Traces scheduled work, except work that runs each few seconds. Without tracing: nothing. */
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
