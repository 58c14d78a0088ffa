/** Lets some tasks run at once; the others wait for their turn, first come, first served. */
export class Semaphore {
  readonly #waitingAtMost: number;
  readonly #refusal: () => Error;
  #free: number;
  readonly #waiting = new Set<() => void>();

  /** `refusal` is thrown where as many wait as may; without a bound all of them may. */
  constructor(atOnce: number, bound?: { readonly waitingAtMost: number; readonly refusal: () => Error }) {
    this.#free = atOnce;
    this.#waitingAtMost = bound?.waitingAtMost ?? Infinity;
    this.#refusal = bound?.refusal ?? (() => new Error("too many wait"));
  }

  /** Runs the task. A caller whose signal is aborted before the turn comes leaves, with `refusal`. */
  async run<T>(
    task: () => Promise<T>,
    leaving?: { readonly signal: AbortSignal; readonly refusal: () => Error },
  ): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(leaving);
    try {
      return await task();
    } finally {
      const [next] = this.#waiting;
      if (next)
        next(); // the place goes over to it
      else this.#free += 1;
    }
  }

  #turn(leaving: { readonly signal: AbortSignal; readonly refusal: () => Error } | undefined): Promise<void> {
    if (this.#waiting.size >= this.#waitingAtMost) throw this.#refusal();
    return new Promise((resolve, reject) => {
      const go = () => {
        this.#waiting.delete(go);
        leaving?.signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.delete(go);
        reject(leaving?.refusal() ?? new Error("left"));
      };
      if (leaving?.signal.aborted) return leave();
      this.#waiting.add(go);
      leaving?.signal.addEventListener("abort", leave, { once: true });
    });
  }
}
