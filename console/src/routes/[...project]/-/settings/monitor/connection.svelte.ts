import type { ExternalProject } from "#lib/messages.ts";
import { refusedCallMessage, refusedCallReason } from "#lib/refused-call.ts";

const limitMs = 15_000;

/** What the page asks an external system for. */
interface Asked {
  readonly projectId: number;
  readonly externalApiUrl: string;
  /** Empty: the stored one. */
  readonly externalAuthToken: string;
}

/** The test of the connection to an external system, which also brings its projects. */
export class Connection {
  state = $state<"idle" | "connecting" | "connected" | "failed">("idle");
  projects = $state.raw<readonly ExternalProject[]>([]);
  /** What works but should be known. */
  warnings = $state.raw<readonly string[]>([]);
  /** Why it failed. */
  cause = $state("");
  #running: AbortController | undefined;

  async connect(asked: Asked): Promise<void> {
    this.reset();
    const running = new AbortController();
    this.#running = running;
    this.state = "connecting";
    const limit = AbortSignal.timeout(limitMs);
    try {
      const { trpc } = await import("#lib/trpc.ts");
      const signal = AbortSignal.any([running.signal, limit]);
      const answer = await trpc.settings.listExternalProjects.mutate(asked, { signal });
      if (running !== this.#running) return; // its values were changed meanwhile
      this.projects = answer.externalProjects;
      this.warnings = answer.warnings;
      this.state = "connected";
    } catch (error) {
      if (running !== this.#running) return;
      this.cause = limit.aborted ? "The external system did not answer within 15 seconds." : causeOf(error);
      this.state = "failed";
    }
  }

  /** What was found holds no longer: address or token were changed, or nobody wants to wait. */
  reset(): void {
    this.#running?.abort();
    this.#running = undefined;
    this.state = "idle";
    this.projects = [];
    this.warnings = [];
    this.cause = "";
  }
}

function causeOf(error: unknown): string {
  return refusedCallReason(error) === "MONITOR_DISABLED"
    ? "Monitor is turned off for this project. Turn it on in Settings > General, then connect again."
    : refusedCallMessage(error);
}
