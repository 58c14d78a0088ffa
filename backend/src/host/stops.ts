import type { Log } from "@faultline/plugin";

/**
 * The steps that a start has begun. They are undone in reverse order. Each has a name, so that a hanging stop can be
 * reported.
 */
export class Stops implements AsyncDisposable {
  readonly #steps = new AsyncDisposableStack();
  #step = () => "the beginning of the stop";

  /** Undoes a step when the service stops, or when its start fails. */
  add(name: string | (() => string), undo: () => unknown): void {
    this.#steps.defer(async () => {
      this.#step = typeof name === "string" ? () => name : name;
      await undo();
    });
  }

  /**
   * Saves at the stop. A failure may lose the same data as a kill, but a full disk must not keep the rest from stopping
   * in order.
   */
  save(name: string, log: Log, save: () => Promise<void>): void {
    this.add(name, () => save().catch((error: unknown) => log.error({ err: error }, `${name} failed`)));
  }

  /** The step that is being undone. */
  get step(): string {
    return this.#step();
  }

  /** Hands the steps over after the service has started, so that the end of the start undoes nothing. */
  handOver(): () => Promise<void> {
    const steps = this.#steps.move();
    return () => steps.disposeAsync();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#steps.disposeAsync();
  }
}
