import { type EvictedEvents, dayMs } from "@faultline/plugin";
import type { OldEvent, EvictionStorage } from "../storage.ts";

/** Small enough that ingestion waits only some milliseconds for the writer. */
const sliceEvents = 100;

/** A large payload takes many pages, which cost as much as rows. */
const sliceBytes = 4_000_000;

/** Windows that one call reads without finding events of the project. The next call continues after them. */
const windowsLooked = 50;

/** Errors with users and tags that are swept together. */
const sweptErrors = 20;

/** The progress of a project's eviction. */
interface Progress {
  /** The row id of the last event that was read. */
  rowId: number;
  /** The day of receipt of the events that are being evicted. */
  day: number | undefined;
  /**
   * Errors that lost events of that day: users last seen on it leave the counts with its last event. Undefined if any
   * error may have lost events, because the day's eviction began before this process did.
   */
  touched: Set<number> | undefined;
}

/**
 * Deletes the oldest events of projects. A walk in the order of receipt finds them and continues from its last end,
 * because an index by project and age would cost time for every stored event. Users and tags carry the day on which
 * they were last seen, and are deleted with the last event of that day.
 */
export class OldestEvents {
  readonly #storage: EvictionStorage;
  readonly #progress = new Map<number, Progress>();

  constructor(storage: EvictionStorage) {
    this.#storage = storage;
  }

  /** See ErrorBackend.evictEvents. */
  async evict(projectId: number, bytes: number): Promise<EvictedEvents> {
    const found = await this.#next(projectId);
    if (found === "none" || found === "not yet") return { count: 0, receivedUntil: 0, isLast: found === "none" };
    const { progress, events } = found;
    const slice = sliceOf(events, Math.min(bytes, sliceBytes));
    const last = slice.at(-1);
    if (!last) return { count: 0, receivedUntil: 0, isLast: false };
    await this.#endDaysBefore(projectId, progress, dayOf(last));
    if (!(await this.#storage.deleteOldest(projectId, slice))) return { count: 0, receivedUntil: 0, isLast: false };
    progress.rowId = last.id;
    for (const { error_id } of slice) progress.touched?.add(error_id);
    return { count: slice.length, receivedUntil: last.received_at, isLast: false };
  }

  /**
   * The next events to evict. After the end of the table the walk starts again, because the retention of others may
   * have been slower.
   */
  async #next(projectId: number): Promise<{ progress: Progress; events: readonly OldEvent[] } | "none" | "not yet"> {
    let progress = this.#progress.get(projectId);
    if (!progress) {
      progress = { rowId: 0, day: undefined, touched: undefined };
      this.#progress.set(projectId, progress);
    }
    for (let windows = 0; windows < windowsLooked; windows++) {
      const { events, place } = await this.#storage.oldestEvents(projectId, progress.rowId, sliceEvents);
      if (events.length > 0) return { progress, events };
      if (place === undefined) {
        const isWhole = progress.rowId === 0 || windows > 0;
        progress.rowId = 0;
        if (isWhole) return "none";
      } else progress.rowId = place;
    }
    return "not yet";
  }

  /** Deletes the users and tags that were last seen before a day, because their events are deleted. */
  async #endDaysBefore(projectId: number, progress: Progress, day: number): Promise<void> {
    const { day: before, touched } = progress;
    if (before === day) return;
    const errors = touched ? [...touched] : await this.#storage.errorsUntil(projectId, day - 1);
    for (let start = 0; start < errors.length; start += sweptErrors) {
      await this.#storage.deleteLastSeen(projectId, errors.slice(start, start + sweptErrors), day - 1);
    }
    progress.day = day;
    progress.touched = before === undefined ? undefined : new Set();
  }
}

/** Events of one day, up to a number of bytes, and at least one. */
function sliceOf(events: readonly OldEvent[], bytes: number): OldEvent[] {
  const [first] = events;
  if (!first) return [];
  let sum = 0;
  const end = events.findIndex((event) => dayOf(event) !== dayOf(first) || (sum += event.bytes) - event.bytes >= bytes);
  return events.slice(0, end < 0 ? events.length : Math.max(1, end));
}

function dayOf({ received_at }: Pick<OldEvent, "received_at">): number {
  return Math.floor(received_at / dayMs);
}
