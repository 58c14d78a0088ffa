import type { Migrations } from "@faultline/plugin";
import { PostgresqlSourceMaps0001 } from "./postgresql-source-maps-0001.ts";
import { PostgresqlSourceMaps0002 } from "./postgresql-source-maps-0002.ts";
import { PostgresqlSourceMaps0003 } from "./postgresql-source-maps-0003.ts";
import { PostgresqlSourceMaps0004 } from "./postgresql-source-maps-0004.ts";
import { PostgresqlSourceMaps0005 } from "./postgresql-source-maps-0005.ts";
import { PostgresqlSourceMaps0006 } from "./postgresql-source-maps-0006.ts";
import { PostgresqlSourceMaps0007 } from "./postgresql-source-maps-0007.ts";
import { SourceMaps0001 } from "./sqlite-source-maps-0001.ts";
import { SourceMaps0002 } from "./sqlite-source-maps-0002.ts";
import { SourceMaps0003 } from "./sqlite-source-maps-0003.ts";
import { SourceMaps0004 } from "./sqlite-source-maps-0004.ts";
import { SourceMaps0005 } from "./sqlite-source-maps-0005.ts";
import { SourceMaps0006 } from "./sqlite-source-maps-0006.ts";
import { SourceMaps0007 } from "./sqlite-source-maps-0007.ts";

export const migrations: Migrations = {
  sqlite: [
    SourceMaps0001,
    SourceMaps0002,
    SourceMaps0003,
    SourceMaps0004,
    SourceMaps0005,
    SourceMaps0006,
    SourceMaps0007,
  ],
  postgresql: [
    PostgresqlSourceMaps0001,
    PostgresqlSourceMaps0002,
    PostgresqlSourceMaps0003,
    PostgresqlSourceMaps0004,
    PostgresqlSourceMaps0005,
    PostgresqlSourceMaps0006,
    PostgresqlSourceMaps0007,
  ],
};
