import type { Migrations } from "@faultline/plugin";
import { PostgresqlReleaseRecords0001 } from "./postgresql-release-records-0001.ts";
import { ReleaseRecords0001 } from "./sqlite-release-records-0001.ts";

export const migrations: Migrations = { sqlite: [ReleaseRecords0001], postgresql: [PostgresqlReleaseRecords0001] };
