/** Does a piece of work once, some time after it was first wanted, so that it serves all who wanted it meanwhile. */
export class Delayed {
  readonly #delayMs: number;
  readonly #work: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(delayMs: number, work: () => void) {
    this.#delayMs = delayMs;
    this.#work = work;
  }

  /** Keeps no process alive. */
  later(): void {
    this.#timer ??= setTimeout(() => this.now(), this.#delayMs).unref();
  }

  /** Does it now, and no later. */
  now(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#work();
  }
}
