import type { Migrations } from "@faultline/plugin";
import { PostgresqlSourceMaps0001 } from "./postgresql-source-maps-0001.ts";
import { SourceMaps0001 } from "./sqlite-source-maps-0001.ts";

export const migrations: Migrations = { sqlite: [SourceMaps0001], postgresql: [PostgresqlSourceMaps0001] };
