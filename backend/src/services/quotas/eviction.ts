import type { ErrorBackend, Evicted, Log, Tally } from "@faultline/plugin";
import { OncePer } from "@faultline/plugin/flow";
import type { EvictablePart, Quotas } from "./quotas.ts";

/** The longest run; the next run begins within a second. */
const runMs = 5_000;

/** At most one log line per project and hour: a project that sends more than it may keep loses events continuously. */
const logEachMs = 3_600_000;

/**
 * Deletes the oldest events of projects that keep more than they may, or the oldest data that plugins keep of them,
 * whichever is more.
 */
export class Eviction {
  readonly #quotas: Quotas;
  readonly #evict: NonNullable<ErrorBackend["evictEvents"]>;
  readonly #evicted: Tally;
  readonly #log: Log;
  /** By project and part. */
  readonly #logged = new Map<string, OncePer>();

  constructor(parts: { quotas: Quotas; evict: NonNullable<ErrorBackend["evictEvents"]>; evicted: Tally; log: Log }) {
    this.#quotas = parts.quotas;
    this.#evict = parts.evict;
    this.#evicted = parts.evicted;
    this.#log = parts.log;
  }

  /** Deletes slice by slice, one project after another, until all are within their limits. */
  async run(signal: AbortSignal): Promise<void> {
    const endsAt = performance.now() + runMs;
    const without = new Set<string>(); // parts with nothing left to delete
    const later = new Set<number>(); // projects with a part that cannot be deleted now
    for (;;) {
      await this.#quotas.readKept();
      let isDone = true;
      for (const { projectId, bytes, parts } of this.#quotas.excesses()) {
        if (signal.aborted || performance.now() > endsAt) return;
        const part = parts.find((one) => !without.has(placeOf(projectId, one)));
        if (!part || later.has(projectId)) continue;
        isDone = false;
        const { count, next } = await this.#evictSlice(projectId, part, bytes);
        if (next === "none") without.add(placeOf(projectId, part));
        if (next === "later") later.add(projectId);
        if (count > 0) this.#warn(projectId, part);
      }
      if (isDone) return;
    }
  }

  async #evictSlice(projectId: number, { evict }: EvictablePart, bytes: number): Promise<Evicted> {
    if (evict) return evict(projectId, bytes);
    const evicted = await this.#evict(projectId, bytes);
    if (evicted.count > 0) await this.#quotas.evicted.note(projectId, evicted);
    this.#evicted.add(evicted.count);
    return { count: evicted.count, next: evicted.isLast ? "none" : "more" };
  }

  #warn(projectId: number, part: EvictablePart): void {
    const place = placeOf(projectId, part);
    const logged = this.#logged.get(place) ?? new OncePer(logEachMs);
    this.#logged.set(place, logged);
    if (!logged.take()) return;
    const what = part.evict
      ? `the oldest data of a project in ${part.name} is deleted`
      : "the oldest events of a project are deleted";
    this.#log.warn({ projectId }, `${what} because the project has reached its storage limit`);
  }
}

const placeOf = (projectId: number, { name }: EvictablePart) => `${projectId} ${name}`;
