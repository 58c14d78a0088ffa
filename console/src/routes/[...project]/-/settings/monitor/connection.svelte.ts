import type { Asked, Connected } from "./connection-failure.ts";

/** The test of the connection to an external system, which also brings its projects. */
export class Connection {
  isConnecting = $state(false);
  /** Absent: nothing was asked, or the result is outdated. */
  outcome = $state.raw<Connected>();
  #running: AbortController | undefined;

  constructor(outcome: Connected | undefined) {
    this.outcome = outcome;
  }

  async connect(asked: Asked): Promise<void> {
    this.reset();
    const running = new AbortController();
    this.#running = running;
    this.isConnecting = true;
    const outcome = await import("./ask-external-system.ts").then(
      ({ askExternalSystem }) => askExternalSystem(asked, running.signal),
      () => notLoaded,
    );
    if (running !== this.#running) return; // its values were changed meanwhile
    this.isConnecting = false;
    this.outcome = outcome;
  }

  /** To be called when the address or token changed, or the person cancels. */
  reset(): void {
    this.#running?.abort();
    this.#running = undefined;
    this.isConnecting = false;
    this.outcome = undefined;
  }
}

const notLoaded: Connected = {
  failure: { cause: "The service cannot be reached. Check your connection and try again.", detail: "" },
};
