import { contractVersion, serve, type Movable, type Plugin } from "@faultline/plugin";
import { operationsOf } from "@faultline/plugin/rest";
import { BulkUpdateService } from "@faultline/proto";
import { deleteNextOfProject } from "./bulk-update-rows.ts";
import { BulkUpdates } from "./bulk-updates.ts";
import { PostgresqlIntegrated0011 } from "./migrations/postgresql-integrated-0011.ts";
import { SqliteIntegrated0014 } from "./migrations/sqlite-integrated-0014.ts";
import * as rest from "./rest.ts";

/** Bulk updates set the status of all errors that match a search, in the background. They can be undone for a day. */
export function bulkUpdates(): Plugin {
  return {
    name: "bulk-updates",
    contract: contractVersion,
    migrations: { sqlite: [SqliteIntegrated0014], postgresql: [PostgresqlIntegrated0011] },
    movable,
    services: [serve(BulkUpdateService, (host) => new BulkUpdates(host))],
    rest: operationsOf(rest),
    deleteProject: ({ database }, projectId) => deleteNextOfProject(database.write(), projectId),
    start: async (host) => new BulkUpdates(host).start(),
  };
}

/** The tables that a move to PostgreSQL copies. Their names predate the plugin. */
const movable: Movable = {
  tables: [
    { name: "integrated_bulk_update", key: ["id"] },
    { name: "integrated_bulk_update_slice", key: ["project_id", "bulk_update_id", "position"], rowsAtOnce: 100 },
  ],
  otherTables: { sqlite: [], postgresql: [] },
};
