import type { MigrationClass, Migrations } from "@faultline/plugin";
import { Migration } from "@mikro-orm/migrations";
import { notifierTables } from "./notifier-0001.ts";
import { peopleTables } from "./notifier-0002.ts";
import { mailTables } from "./notifier-0003.ts";
import { notifierTriggers } from "./notifier-0004.ts";
import { trackerTables } from "./notifier-0005.ts";
import { failingServers } from "./notifier-0006.ts";
import { metRules } from "./notifier-0007.ts";
import { turnsByProject } from "./notifier-0008.ts";
import { postgresqlWords, sqliteWords, type Words } from "./words.ts";

const migration = (name: string, statements: readonly string[]): MigrationClass =>
  class extends Migration {
    override name = name;

    override up(): void {
      for (const statement of statements) this.addSql(statement);
    }
  };

/** In their order; the names never change. */
const steps: readonly (readonly [name: string, statements: (words: Words) => readonly string[]])[] = [
  ["notifier-0001", notifierTables],
  ["notifier-0002", peopleTables],
  ["notifier-0003", mailTables],
  ["notifier-0004", notifierTriggers],
  ["notifier-0005", trackerTables],
  ["notifier-0006", failingServers],
  ["notifier-0007", metRules],
  ["notifier-0008", turnsByProject],
];

export const migrations: Migrations = {
  sqlite: steps.map(([name, statements]) => migration(name, statements(sqliteWords))),
  postgresql: steps.map(([name, statements]) => migration(`postgresql-${name}`, statements(postgresqlWords))),
};
