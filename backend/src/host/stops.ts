import type { Log } from "@faultline/plugin";

/**
 * The steps that a start has begun. Each is undone in reverse, under a name by which a stop that hangs can be reported.
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
   * Saves at the stop, where a failure may lose data as a kill does: a full disk must not keep the rest from stopping
   * in order.
   */
  save(name: string, log: Log, save: () => Promise<void>): void {
    this.add(name, () => save().catch((error: unknown) => log.error({ err: error }, `${name} failed`)));
  }

  /** The step that is being undone. */
  get step(): string {
    return this.#step();
  }

  /** Hands the steps over once the service has started: nothing is undone at the end of the start. */
  handOver(): () => Promise<void> {
    const steps = this.#steps.move();
    return () => steps.disposeAsync();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#steps.disposeAsync();
  }
}
