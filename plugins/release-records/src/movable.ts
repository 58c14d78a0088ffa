import type { Movable } from "@faultline/plugin";

/** How a move to PostgreSQL copies the plugin's tables. */
export const movable: Movable = {
  tables: [
    { name: "release_record", key: ["id"], refersToCore: true },
    { name: "release_commit", key: ["release_id", "position"], refersToCore: true, rowsAtOnce: 200 },
    { name: "release_deploy", key: ["id"], refersToCore: true },
  ],
  otherTables: { sqlite: [], postgresql: [] },
};
