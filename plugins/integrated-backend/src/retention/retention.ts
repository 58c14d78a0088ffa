import { dayMs, type Host } from "@faultline/plugin";
import type { Storage } from "../storage.ts";

/** All errors are kept this long (specification section 8). */
export const retentionDays = 90;

/** Updates are accepted until 5 days after a session's start, which is at most a minute after its first update. */
export const sessionDays = 6;

/**
 * A message that a worker counted but could not acknowledge is delivered again within a minute after any worker starts.
 * A queue without workers, or workers without their queue, should not go unnoticed for a week.
 */
export const receiptDays = 7;

/** The start of the first day that is kept. An event is readable for at least 90 days and at most 91. */
export function retentionCutoff(now: number): number {
  return Math.floor(now / dayMs) * dayMs - retentionDays * dayMs;
}

const retentionIntervalMs = 3_600_000;

/** Schedules the deletion of data older than the retention. */
export function scheduleRetention(storage: Storage, { deletionClock, log, metrics, scheduler }: Host): void {
  const help = "Rows that retention deleted: events, feedback and sessions.";
  const deletedRows = metrics.counter("faultline_retention_deleted_rows_total", help).of();
  const retain = async (signal: AbortSignal) => {
    const deleted = await storage.deleteExpired(deletionClock.now(), signal);
    deletedRows.add(deleted);
    if (deleted > 0) log.info({ deleted }, "deleted rows older than the retention");
  };
  scheduler.every(retentionIntervalMs, "retention", retain, { alone: true });
}
