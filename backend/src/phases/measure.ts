import { statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import type { Metrics, Backlog } from "@faultline/plugin";
import type { GroupCommit } from "../host/ingest/group-commit.ts";
import type { MetricRegistry } from "../host/metrics/registry.ts";
import { isKnown } from "../services/instance/ingest-lag.ts";
import type { DiskSpace } from "../storage/database/disk-space.ts";
import type { OpenDatabase } from "../storage/database/open-database.ts";
import { databaseFile } from "../storage/database/sqlite/open.ts";

/** The sources of the metrics of storage, and of items that wait to be stored. */
export interface StorageSources {
  readonly database: Pick<OpenDatabase, "kind" | "connections">;
  readonly dataDir: string;
  readonly disk: DiskSpace;
  readonly queue: GroupCommit;
  readonly isReady: () => Promise<boolean>;
}

/**
 * Measures disk, files and queue when they are scraped. Metrics of the database that is not used have no value.
 * PostgreSQL's own exporter reports its size.
 */
export function measureStorage(metrics: Metrics, sources: StorageSources): void {
  const { database, dataDir, disk, queue, isReady } = sources;
  metrics.gauge("faultline_ready", "1 if an event would be stored now, otherwise 0.", async () =>
    Number(await isReady()),
  );
  metrics.gauge(
    "faultline_queue_waiting_items",
    "Items that wait in memory for the next batch.",
    () => queue.waiting.items,
  );
  metrics.gauge(
    "faultline_queue_waiting_bytes",
    "Bytes that wait in memory for the next batch; from 64 MiB, items are refused.",
    () => {
      return queue.waiting.bytes;
    },
  );
  metrics.gauge("faultline_disk_free_bytes", "Free space on the disk of the data directory.", async () => {
    const { bavail, bsize } = await statfs(dataDir);
    return bavail * bsize;
  });
  metrics.gauge("faultline_disk_low", "1 if events are refused because disk space is low, otherwise 0.", () => {
    return Number(disk.isLow);
  });
  metrics.gauge(
    "faultline_disk_scarce",
    "1 if the projects that keep the most are refused because disk space is low.",
    () => {
      return Number(disk.isScarce);
    },
  );
  metrics.gauge("faultline_database_connections_used", "Connections to PostgreSQL that are in use.", () => {
    return database.connections?.().used;
  });
  metrics.gauge("faultline_database_connections_waiting", "Calls that wait for a connection to PostgreSQL.", () => {
    return database.connections?.().waiting;
  });
  const file = database.kind === "sqlite" ? databaseFile(dataDir) : undefined;
  metrics.gauge("faultline_database_bytes", "The file of SQLite.", () =>
    file === undefined ? undefined : bytesOf(file),
  );
  metrics.gauge("faultline_database_log_bytes", "Its write-ahead log.", () => {
    return file === undefined ? undefined : bytesOf(`${file}-wal`);
  });
}

function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0; // SQLite may take the log away at any time
}

/** Measures the queue between acceptance and storage. Without a queue these metrics have no value. */
export function measureQueue(metrics: MetricRegistry, backlog: Backlog | undefined): void {
  const known = () => {
    const lag = backlog?.lag();
    return isKnown(lag) ? lag : undefined;
  };
  metrics.gauge(
    "faultline_queue_connected",
    "1 while the queue's servers respond to this process, otherwise 0.",
    () => {
      return backlog && Number(backlog.isConnected() && known() !== undefined);
    },
  );
  metrics.gauge(
    "faultline_queue_lag_seconds",
    "The age of the oldest message that waits to be stored; 0 if none waits.",
    () => {
      const lag = known();
      return lag && lag.lagMs / 1000;
    },
  );
  metrics.gauge(
    "faultline_queue_pending_messages",
    "Messages that wait to be stored, each of one event or many.",
    () => {
      return known()?.pending;
    },
  );
  metrics.gauge("faultline_dead_letters", "Dead letters of all processes that are kept.", () => {
    return backlog?.deadLetters.kept;
  });
  metrics.total("faultline_dead_letters_total", "Dead letters that this process created.", () => {
    return backlog?.deadLetters.made ?? 0;
  });
}
