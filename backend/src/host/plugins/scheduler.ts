import type { Log, Scheduler, Task } from "@faultline/plugin";
import { OncePer } from "@faultline/plugin/flow";

/** The time for running work to end by itself at a stop. Most work does, and then does not need to start again. */
const graceMs = 2_000;

/** A failure is not logged again for this long: on a full disk some work fails each second. */
const silentMs = 600_000;

/**
 * Runs work for the whole installation, unless another process is running it or this process leaves such work to
 * others.
 */
export type Alone = (name: string, work: () => Promise<void>) => Promise<void>;

/**
 * Runs work now and at intervals until it is stopped. `stop` waits two seconds for running work, and then aborts it.
 */
export class IntervalScheduler implements Scheduler {
  readonly #log: Log;
  readonly #alone: Alone;
  readonly #pace: number;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #running = new Map<Promise<void>, string>();
  readonly #stopped = new AbortController();

  /** `pace`: divides all intervals. */
  constructor(log: Log, alone: Alone, pace = 1) {
    this.#log = log;
    this.#alone = alone;
    this.#pace = pace;
  }

  every(intervalMs: number, name: string, task: Task, { alone = false } = {}): void {
    let busy = false;
    const logged = new OncePer(silentMs);
    const run = async () => {
      if (busy) return;
      busy = true;
      try {
        const { signal } = this.#stopped;
        await (alone ? this.#alone(name, () => task(signal)) : task(signal));
      } catch (error) {
        if (logged.take()) this.#log.error({ err: error, task: name }, "scheduled work failed");
      } finally {
        busy = false;
      }
    };
    const begin = () => {
      const running = run().finally(() => this.#running.delete(running));
      this.#running.set(running, name);
    };
    begin(); // otherwise a service that restarts more often than the interval would never do its work
    const timer = setInterval(begin, intervalMs / this.#pace);
    timer.unref();
    this.#timers.push(timer);
  }

  /** The names of the running work. */
  get running(): string[] {
    return [...this.#running.values()];
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    const late = setTimeout(() => this.#stopped.abort(), graceMs);
    await Promise.all(this.#running.keys());
    clearTimeout(late);
  }
}
