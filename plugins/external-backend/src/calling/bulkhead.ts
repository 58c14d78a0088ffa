import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { timedOut } from "./failures.ts";

/** Concurrent calls of one project. */
export const maxRunning = 4;
const maxWaiting = 60;

/** Runs at most four pieces of work at once. Others wait in order of arrival, as long as their caller does. */
export class Slots {
  #running = 0;
  readonly #waiting = new Set<() => void>();

  /**
   * Refuses with OVERLOADED when 60 callers wait already, and as a timeout when `signal` is aborted before its turn.
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#running < maxRunning) this.#running++;
    else await this.#turn(signal);
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      if (next)
        next(); // hands the slot over
      else this.#running--;
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size >= maxWaiting) {
      throw new ServiceError(
        ErrorReason.OVERLOADED,
        "Too many calls wait for the external system of this project. Try again in a moment.",
      );
    }
    return new Promise((resolve, reject) => {
      const go = () => {
        this.#waiting.delete(go);
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.delete(go);
        reject(timedOut());
      };
      if (signal.aborted) return leave();
      this.#waiting.add(go);
      signal.addEventListener("abort", leave, { once: true });
    });
  }
}
