import type { Asked, Connected } from "./connection-failure.ts";

/** The test of the connection to an external system, which also brings its projects. */
export class Connection {
  isConnecting = $state(false);
  /** Absent: nothing was asked, or what was found holds no longer. */
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

  /** Address or token were changed, or nobody wants to wait. */
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
