import { tableMigrations } from "@faultline/plugin";
import { trackerTables } from "./notifier-0005.ts";
import { pendingTransitions } from "./trackers-0001.ts";

/** The notifier made the tables before trackers became a separate plugin. */
export const migrations = tableMigrations([
  ["notifier-0005", trackerTables],
  ["trackers-0001", pendingTransitions],
]);
