import type { ErrorChanges } from "./messages.ts";

export type LiveState = "connecting" | "live" | "paused";

/** Follows the changes of a project's errors until the returned function is called. */
export class LiveErrors {
  state = $state<LiveState>("connecting");
  /** Connection attempts that failed in a row; the browser tries again by itself. */
  #failures = 0;

  follow(projectId: number, onChange: (changes: ErrorChanges) => void, onGap: () => void): () => void {
    const subscription = this.#subscribe(projectId, onChange, onGap);
    const failed = () => (this.state = "paused"); // the client could not be loaded
    subscription.catch(failed);
    return () => void subscription.then((started) => started.unsubscribe(), failed);
  }

  async #subscribe(projectId: number, onChange: (changes: ErrorChanges) => void, onGap: () => void) {
    const { trpc } = await import("./trpc.ts");
    let connectedBefore = false;
    return trpc.errors.changes.subscribe(
      { projectId },
      {
        onStarted: () => {
          this.state = "live";
          this.#failures = 0;
          if (connectedBefore) onGap(); // what changed while the connection was lost was not told
          connectedBefore = true;
        },
        onData: onChange,
        onConnectionStateChange: ({ state }) => {
          if (state !== "connecting") return;
          this.#failures += 1;
          if (this.#failures > 3) this.state = "paused";
        },
        onError: () => (this.state = "paused"),
        onStopped: () => (this.state = "paused"),
      },
    );
  }
}
