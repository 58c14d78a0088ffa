import type { Migrations } from "@faultline/plugin";
import { PostgresqlCore0001 } from "./postgresql/migrations/core-0001.ts";
import { PostgresqlCore0002 } from "./postgresql/migrations/core-0002.ts";
import { PostgresqlCore0003 } from "./postgresql/migrations/core-0003.ts";
import { PostgresqlCore0004 } from "./postgresql/migrations/core-0004.ts";
import { PostgresqlCore0005 } from "./postgresql/migrations/core-0005.ts";
import { PostgresqlCore0006 } from "./postgresql/migrations/core-0006.ts";
import { PostgresqlCore0007 } from "./postgresql/migrations/core-0007.ts";
import { PostgresqlCore0008 } from "./postgresql/migrations/core-0008.ts";
import { PostgresqlCore0009 } from "./postgresql/migrations/core-0009.ts";
import { Core0001 } from "./sqlite/migrations/core-0001.ts";
import { Core0002 } from "./sqlite/migrations/core-0002.ts";
import { Core0003 } from "./sqlite/migrations/core-0003.ts";
import { Core0004 } from "./sqlite/migrations/core-0004.ts";
import { Core0005 } from "./sqlite/migrations/core-0005.ts";
import { Core0006 } from "./sqlite/migrations/core-0006.ts";
import { Core0007 } from "./sqlite/migrations/core-0007.ts";
import { Core0008 } from "./sqlite/migrations/core-0008.ts";
import { Core0009 } from "./sqlite/migrations/core-0009.ts";
import { Core0010 } from "./sqlite/migrations/core-0010.ts";
import { Core0011 } from "./sqlite/migrations/core-0011.ts";
import { Core0012 } from "./sqlite/migrations/core-0012.ts";
import { Core0013 } from "./sqlite/migrations/core-0013.ts";

/** The core's migrations, then the migrations of each plugin. */
export function inOrder(all: readonly Migrations[]): Migrations {
  return { sqlite: all.flatMap(({ sqlite }) => sqlite), postgresql: all.flatMap(({ postgresql }) => postgresql) };
}

/** The tables of entities.ts, and the few tables that the core reads and writes without the ORM. */
export const coreMigrations: Migrations = {
  sqlite: [
    Core0001,
    Core0002,
    Core0003,
    Core0004,
    Core0005,
    Core0006,
    Core0007,
    Core0008,
    Core0009,
    Core0010,
    Core0011,
    Core0012,
    Core0013,
  ],
  postgresql: [
    PostgresqlCore0001,
    PostgresqlCore0002,
    PostgresqlCore0003,
    PostgresqlCore0004,
    PostgresqlCore0005,
    PostgresqlCore0006,
    PostgresqlCore0007,
    PostgresqlCore0008,
    PostgresqlCore0009,
  ],
};
