import { timedOut } from "./failures.ts";

/** Work that several callers wait for. It is aborted when the last of them has left. */
export class Flight<T> {
  readonly #result: Promise<T>;
  readonly #stop = new AbortController();
  #waiting = 0;

  /** `ended` is called once, as soon as no more callers should join. */
  constructor(work: (signal: AbortSignal) => Promise<T>, ended: () => void) {
    this.#stop.signal.addEventListener("abort", ended, { once: true });
    this.#result = work(this.#stop.signal).finally(ended);
  }

  /** Resolves with the result; refused as a timeout when `signal` is aborted before. */
  join(signal: AbortSignal): Promise<T> {
    this.#waiting++;
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting--;
        reject(timedOut());
        if (this.#waiting === 0) this.#stop.abort();
      };
      this.#result.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
      if (signal.aborted) leave();
      else signal.addEventListener("abort", leave, { once: true });
    });
  }
}
