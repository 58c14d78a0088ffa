import { OutboundFailure, type OutboundFault } from "@faultline/plugin";

/** The time of a request, and its caller's patience: `signal` aborts with the OutboundFailure it ends in. */
export class Deadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #endsAt: number;
  readonly #given: AbortSignal | undefined;
  readonly #abort = () =>
    this.#controller.abort(new OutboundFailure("aborted", "the caller no longer waits for the answer"));
  #timer: NodeJS.Timeout | undefined;

  constructor(timeoutMs: number, given: AbortSignal | undefined) {
    this.#endsAt = performance.now() + timeoutMs;
    this.#given = given;
    if (given?.aborted) this.#abort();
    given?.addEventListener("abort", this.#abort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Sets what is awaited from now on, and for how long at most; the time of the whole request holds besides. */
  expect(fault: OutboundFault, awaited: string, ms = Infinity): void {
    clearTimeout(this.#timer);
    const late = () => this.#controller.abort(new OutboundFailure(fault, `${awaited} did not arrive in time`));
    this.#timer = setTimeout(late, Math.max(0, Math.min(ms, this.#endsAt - performance.now())));
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#given?.removeEventListener("abort", this.#abort);
  }
}
