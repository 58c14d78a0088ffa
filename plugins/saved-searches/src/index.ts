import { contractVersion, type Plugin } from "@faultline/plugin";
import { operationsOf } from "@faultline/plugin/rest";
import { PostgresqlSavedSearches0001 } from "./postgresql/migrations/saved-searches-0001.ts";
import * as rest from "./rest.ts";
import { savedSearchService } from "./saved-search-service.ts";
import { SavedSearches0001 } from "./sqlite/migrations/saved-searches-0001.ts";

/** Named searches of a project's errors: personal searches of each member, and searches shared by the project. */
export const savedSearches = (): Plugin => ({
  name: "saved-searches",
  contract: contractVersion,
  migrations: { sqlite: [SavedSearches0001], postgresql: [PostgresqlSavedSearches0001] },
  movable: {
    tables: [{ name: "saved_search", key: ["id"], refersToCore: true }],
    otherTables: { sqlite: [], postgresql: [] },
  },
  services: [savedSearchService],
  rest: operationsOf(rest),
});
