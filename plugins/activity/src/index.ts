import { contractVersion, type Plugin } from "@faultline/plugin";
import { ErrorService } from "@faultline/proto";
import { activityService } from "./activity-service.ts";
import { PostgresqlActivity0001 } from "./migrations/postgresql-activity-0001.ts";
import { SqliteActivity0001 } from "./migrations/sqlite-activity-0001.ts";
import { listErrorActivity } from "./rest.ts";
import { takeTransitions } from "./take-transitions.ts";

/** What happened to each error, when, and who did it: one list that only grows, until its error is gone. */
export function activity(): Plugin {
  return {
    name: "activity",
    contract: contractVersion,
    migrations: { sqlite: [SqliteActivity0001], postgresql: [PostgresqlActivity0001] },
    movable: {
      tables: [{ name: "activity_entry", key: ["id"], refersToCore: true }],
      otherTables: { sqlite: [], postgresql: [] },
    },
    errorTransitions: () => takeTransitions,
    services: [activityService],
    calls: [ErrorService.method.getError],
    rest: [listErrorActivity],
  };
}
