import type { ErrorBackend, Log, Tally } from "@faultline/plugin";
import { OncePer } from "@faultline/plugin/flow";
import type { Quotas } from "./quotas.ts";

/** The longest run; the next one begins within a second. */
const runMs = 5_000;

/** At most one log line per project and hour: a project that sends more than it may keep loses events all the time. */
const logEachMs = 3_600_000;

/** Deletes the oldest events of projects that keep more than they may. */
export class Eviction {
  readonly #quotas: Quotas;
  readonly #evict: NonNullable<ErrorBackend["evictEvents"]>;
  readonly #evicted: Tally;
  readonly #log: Log;
  readonly #logged = new Map<number, OncePer>();

  constructor(parts: { quotas: Quotas; evict: NonNullable<ErrorBackend["evictEvents"]>; evicted: Tally; log: Log }) {
    this.#quotas = parts.quotas;
    this.#evict = parts.evict;
    this.#evicted = parts.evicted;
    this.#log = parts.log;
  }

  /** Deletes slice by slice, one project after the other, until all are within their limits. */
  async run(signal: AbortSignal): Promise<void> {
    const endsAt = performance.now() + runMs;
    const without = new Set<number>(); // projects that have no event left to delete
    for (;;) {
      await this.#quotas.readKept();
      const excesses = this.#quotas.excesses().filter(({ projectId }) => !without.has(projectId));
      if (excesses.length === 0) return;
      for (const { projectId, bytes } of excesses) {
        if (signal.aborted || performance.now() > endsAt) return;
        const evicted = await this.#evict(projectId, bytes);
        if (evicted.isLast) without.add(projectId);
        if (evicted.count > 0) await this.#note(projectId, evicted);
      }
    }
  }

  async #note(projectId: number, evicted: { count: number; receivedUntil: number }): Promise<void> {
    await this.#quotas.noteEvicted(projectId, evicted);
    this.#evicted.add(evicted.count);
    const logged = this.#logged.get(projectId) ?? new OncePer(logEachMs);
    this.#logged.set(projectId, logged);
    if (!logged.take()) return;
    const numbers = { projectId, receivedUntil: new Date(evicted.receivedUntil).toISOString() };
    this.#log.warn(
      numbers,
      "the oldest events of a project are deleted, because it has reached its limit of bytes kept",
    );
  }
}
