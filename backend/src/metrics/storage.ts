import { statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import type { DatabaseKind, Metrics } from "@faultline/plugin";
import type { DiskSpace } from "../database/disk-space.ts";
import { databaseFile } from "../database/sqlite/open.ts";
import type { GroupCommit } from "../ingest/group-commit.ts";

/** What is told of the place where things are stored, and of what waits to be stored. */
export interface StorageSources {
  readonly kind: DatabaseKind;
  readonly dataDir: string;
  readonly disk: DiskSpace;
  readonly queue: GroupCommit;
  readonly isReady: () => Promise<boolean>;
}

/** Measures disk, files and queue when somebody looks. The size of a PostgreSQL is told by its own exporter. */
export function measureStorage(metrics: Metrics, { kind, dataDir, disk, queue, isReady }: StorageSources): void {
  metrics.gauge("faultline_ready", "1 when an event would be stored now, else 0.", async () => Number(await isReady()));
  metrics.gauge("faultline_queue_waiting_items", "What waits in memory for the next batch.", () => queue.waiting.items);
  metrics.gauge("faultline_queue_waiting_bytes", "The same in bytes; from 64 MiB on it is refused.", () => {
    return queue.waiting.bytes;
  });
  metrics.gauge("faultline_disk_free_bytes", "Free space on the disk of the data directory.", async () => {
    const { bavail, bsize } = await statfs(dataDir);
    return bavail * bsize;
  });
  metrics.gauge("faultline_disk_low", "1 when events are refused for want of disk space, else 0.", () => {
    return Number(disk.isLow);
  });
  if (kind !== "sqlite") return;
  const file = databaseFile(dataDir);
  metrics.gauge("faultline_database_bytes", "The file of the database.", () => bytesOf(file));
  metrics.gauge("faultline_database_log_bytes", "Its write-ahead log.", () => bytesOf(`${file}-wal`));
}

function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0; // SQLite may take the log away at any time
}
