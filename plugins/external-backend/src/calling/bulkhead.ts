import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { timedOut } from "./failures.ts";

/** Calls of one project at once. */
export const maxRunning = 4;
const maxWaiting = 60;

/** Runs at most four pieces of work at once; others wait, first come, first served, as long as their caller does. */
export class Slots {
  #running = 0;
  readonly #waiting = new Set<() => void>();

  /** Refuses with OVERLOADED when 60 wait already, and as a timeout when `signal` is aborted before its turn comes. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#running < maxRunning) this.#running++;
    else await this.#turn(signal);
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      if (next)
        next(); // the place goes over to it
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
