import type { Metrics, Scheduler } from "@faultline/plugin";

/** Runs work as the scheduler does, and counts its results by name. */
export function measuredScheduler(scheduler: Scheduler, metrics: Metrics): Scheduler {
  const runs = metrics.counter("faultline_task_runs_total", "Runs of scheduled work: done or failed.", [
    "task",
    "result",
  ]);
  return {
    every(intervalMs, name, task, options) {
      const [done, failed] = [runs.of(name, "done"), runs.of(name, "failed")];
      const counted: typeof task = async (signal) => {
        try {
          await task(signal);
          done.add();
        } catch (error) {
          failed.add();
          throw error;
        }
      };
      scheduler.every(intervalMs, name, counted, options);
    },
  };
}
