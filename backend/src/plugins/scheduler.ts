import type { Log, Scheduler } from "@faultline/plugin";

/** Runs work now and at intervals until it is stopped; `stop` waits for what is running. */
export class IntervalScheduler implements Scheduler {
  readonly #log: Log;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #running = new Set<Promise<void>>();

  constructor(log: Log) {
    this.#log = log;
  }

  every(intervalMs: number, name: string, task: () => Promise<void>): void {
    let busy = false;
    const run = async () => {
      if (busy) return;
      busy = true;
      try {
        await task();
      } catch (error) {
        this.#log.error({ err: error, task: name }, "scheduled work failed");
      } finally {
        busy = false;
      }
    };
    const begin = () => {
      const running = run().finally(() => this.#running.delete(running));
      this.#running.add(running);
    };
    begin(); // a service that is started anew more often than the interval would never get to its work
    const timer = setInterval(begin, intervalMs);
    timer.unref();
    this.#timers.push(timer);
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all(this.#running);
  }
}
