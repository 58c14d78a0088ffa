import type { Host } from "@faultline/plugin";
import type { Storage } from "../storage.ts";

const retentionIntervalMs = 3_600_000;

/** Begins the work that deletes what is older than the retention. */
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
