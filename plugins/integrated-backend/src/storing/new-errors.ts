import { millisecondsOf, dayMs } from "@faultline/plugin";
import { errorKey, type GroupedEvent } from "../grouping/group-events.ts";
import { newErrors } from "../limits.ts";
import { otherErrorsHash } from "../event/summary.ts";
import type { Storage, Group, NewErrorCounter } from "../storage.ts";

/** How long a new error counts against the limit. */
export const newErrorMs = 60_000 / newErrors.aMinute;

/**
 * The longest time for which a project can use up the limit. A later time comes from a wrong clock and does not count.
 */
export const implausibleMs = 10 * newErrors.atOnce * newErrorMs;

/** Errors that are remembered, across all projects: about 8 MB. */
const knownAtMost = 50_000;

/**
 * The longest time for which a deleted error is remembered. If it returns within this time, it does not count as new.
 */
const knownMs = 60_000;

/** A group in the form that both databases return. */
export interface GroupRow {
  readonly id: number | null;
  readonly day: number | null;
  readonly error_count: number | null;
  readonly used_until: number | null;
}

export function groupOf({ id, day, error_count, used_until }: GroupRow): Group {
  const hasCounter = day !== null && error_count !== null && used_until !== null;
  return {
    errorId: id ?? undefined,
    counter: hasCounter ? { day, errorCount: error_count, usedUntil: used_until } : undefined,
  };
}

/**
 * The limit of new errors. While it is used up, an event that would create an error goes to the project's
 * "Other errors" instead. It applies to events with a client key, which strangers may have.
 *
 * The counter is in the database and written with the errors, so that a failed batch counts nothing, a restart forgets
 * nothing, and processes share it. Processes that store simultaneously each see the same room: each may exceed the
 * limit by the room that was left at that moment.
 */
export class NewErrors {
  readonly #storage: Pick<Storage, "groups">;
  readonly #known = new Set<string>();
  #knownSince = performance.now();

  constructor(storage: Pick<Storage, "groups">) {
    this.#storage = storage;
  }

  /**
   * Marks the events that create an error, and moves events beyond the limit. Takes one query if a group is not known.
   */
  async limit(events: readonly GroupedEvent[]): Promise<readonly GroupedEvent[]> {
    this.#forget();
    const unknown = new Map<string, GroupedEvent>();
    for (const one of events) {
      if (one.event.keyId !== 0 && !this.#known.has(one.key) && !unknown.has(one.key)) unknown.set(one.key, one);
    }
    if (unknown.size === 0) return events;
    const asked = [...unknown.values()];
    const groups = await this.#storage.groups(asked.map(({ event, hash }) => [event.projectId, hash]));

    const rooms = new Map<number, number>();
    const decided = new Map<string, "new" | "other">();
    for (const [n, { key, event }] of asked.entries()) {
      const group = groups[n];
      if (group?.errorId !== undefined) {
        this.#known.add(key);
        continue;
      }
      const room = rooms.get(event.projectId) ?? roomFor(group?.counter, receivedAt(event));
      decided.set(key, room > 0 ? "new" : "other");
      rooms.set(event.projectId, room - 1);
    }
    if (decided.size === 0) return events;
    return events.map((one) => {
      if (one.event.keyId === 0) return one;
      const decision = decided.get(one.key);
      if (decision === undefined) return one;
      if (decision === "new") return { ...one, isNew: true };
      return { event: one.event, hash: otherErrorsHash, key: errorKey(one.event.projectId, otherErrorsHash) };
    });
  }

  #forget(): void {
    const now = performance.now();
    if (this.#known.size < knownAtMost && now - this.#knownSince < knownMs) return;
    this.#known.clear();
    this.#knownSince = now;
  }
}

/** The number of new errors that a project may still create. */
function roomFor(counter: NewErrorCounter | undefined, now: number): number {
  if (!counter) return newErrors.atOnce;
  const usedMs = counter.usedUntil - now;
  const used = usedMs > 0 && usedMs < implausibleMs ? Math.ceil(usedMs / newErrorMs) : 0;
  const today = counter.day === Math.floor(now / dayMs) ? counter.errorCount : 0;
  return Math.min(newErrors.atOnce - used, newErrors.aDay - today);
}

function receivedAt({ receivedTime }: GroupedEvent["event"]): number {
  return receivedTime ? millisecondsOf(receivedTime) : 0;
}
