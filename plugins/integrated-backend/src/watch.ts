import { EventEmitter } from "node:events";
import type { Changes } from "./batch.ts";

const gatherMs = 1000;

/** Tells watchers which groups of a project changed. */
export class ErrorChanges {
  readonly #emitter = new EventEmitter().setMaxListeners(0);

  announce(changes: Changes): void {
    for (const [projectId, hashes] of changes) this.#emitter.emit(String(projectId), hashes);
  }

  /** The hashes of changed groups, gathered for a second each time, until the signal aborts. */
  async *of(projectId: number, signal: AbortSignal): AsyncGenerator<ReadonlySet<string>> {
    const gathered = new Set<string>();
    let wake: (() => void) | undefined;
    const listen = (hashes: ReadonlySet<string>) => {
      for (const hash of hashes) gathered.add(hash);
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
        const hashes = new Set(gathered);
        gathered.clear();
        yield hashes;
      }
    } finally {
      this.#emitter.off(String(projectId), listen);
    }
  }
}
