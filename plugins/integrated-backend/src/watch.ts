import { EventEmitter } from "node:events";
import type { Changes } from "./store-batch.ts";

const gatherMs = 1000;

/** Tells watchers which errors of a project changed. */
export class ErrorChanges {
  readonly #emitter = new EventEmitter().setMaxListeners(0);

  announce(changes: Changes): void {
    for (const [projectId, errorIds] of changes) this.#emitter.emit(String(projectId), errorIds);
  }

  /** The ids of changed errors, gathered for a second each time, until the signal aborts. */
  async *of(projectId: number, signal: AbortSignal): AsyncGenerator<ReadonlySet<number>> {
    const gathered = new Set<number>();
    let wake: (() => void) | undefined;
    const listen = (errorIds: ReadonlySet<number>) => {
      for (const id of errorIds) gathered.add(id);
      wake?.();
    };
    this.#emitter.on(String(projectId), listen);
    signal.addEventListener("abort", () => wake?.(), { once: true });
    try {
      while (!signal.aborted) {
        if (gathered.size === 0) await new Promise<void>((resolve) => (wake = resolve));
        wake = undefined;
        if (signal.aborted) return;
        await new Promise((resolve) => setTimeout(resolve, gatherMs));
        const ids = new Set(gathered);
        gathered.clear();
        yield ids;
      }
    } finally {
      this.#emitter.off(String(projectId), listen);
    }
  }
}
