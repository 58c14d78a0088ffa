import type { Migrations } from "@faultline/plugin";
import { PostgresqlReleaseRecords0001 } from "./postgresql-release-records-0001.ts";
import { PostgresqlReleaseRecords0002 } from "./postgresql-release-records-0002.ts";
import { ReleaseRecords0001 } from "./sqlite-release-records-0001.ts";
import { ReleaseRecords0002 } from "./sqlite-release-records-0002.ts";

export const migrations: Migrations = {
  sqlite: [ReleaseRecords0001, ReleaseRecords0002],
  postgresql: [PostgresqlReleaseRecords0001, PostgresqlReleaseRecords0002],
};
