import type { Movable } from "@faultline/plugin";

/** How a move to PostgreSQL copies the plugin's tables. */
export const movable: Movable = {
  tables: ["notifier_tracker", "notifier_issue", "notifier_issue_change"].map((name) => ({
    name,
    key: ["id"],
    refersToCore: true,
  })),
  otherTables: { sqlite: [], postgresql: [] },
};
