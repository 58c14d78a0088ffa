import { StartRefusal, type Entity, type MigrationClass } from "@faultline/plugin";
import { Migrator } from "@mikro-orm/migrations";
import { MikroORM } from "@mikro-orm/sql";
import { sql, type Kysely } from "kysely";
import type { OpenDatabase } from "../open-database.ts";
import { PostgresqlDialect } from "./dialect.ts";
import { AdvisoryLease } from "./advisory-lease.ts";
import { PostgresqlAnnouncements } from "./announcements.ts";
import { warnOfLosses } from "./durability.ts";
import { connectionFailure, postgresqlName } from "./failure.ts";
import { listenerName } from "./listening-connection.ts";
import { migrate } from "./migrate.ts";
import { Mark } from "./mark.ts";
import { SerializedDriver } from "./serialized-transactions.ts";

/** Connects to the PostgreSQL database, checks that it is ours, and migrates it. */
export async function openPostgresql(
  url: string,
  entities: readonly Entity[],
  migrations: readonly MigrationClass[],
): Promise<OpenDatabase & { readonly mark: Mark }> {
  const name = postgresqlName(url);
  const dialect = new PostgresqlDialect(url);
  await using opened = new AsyncDisposableStack();
  try {
    const orm = await MikroORM.init({
      driver: SerializedDriver,
      dbName: decodeURIComponent(new URL(url).pathname.slice(1)),
      entities: [...entities],
      extensions: [Migrator],
      driverOptions: () => dialect,
      migrations: { migrationsList: [...migrations], snapshot: false, silent: true },
      logger: () => undefined, // failures are logged where they are handled
    });
    opened.defer(() => orm.close());
    const kysely = orm.em.getKysely() as unknown as Kysely<unknown>;
    const mark = new Mark(kysely, name);
    await mark.check();
    await migrate(orm, kysely, mark);
    const alone = new AdvisoryLease(kysely);
    const announcements = await PostgresqlAnnouncements.open(url);
    opened.move();
    return {
      kind: "postgresql",
      announcements,
      orm,
      mark,
      write: <Tables>() => kysely as unknown as Kysely<Tables>,
      writeEvents: <Tables>() => kysely as unknown as Kysely<Tables>,
      read: <Tables>() => kysely as unknown as Kysely<Tables>,
      readExpensively: <Tables>() => kysely as unknown as Kysely<Tables>,
      alone: (task, work) => alone.run(task, work),
      otherProcesses: () => otherListeners(kysely, announcements.backendPid),
      async close() {
        await announcements.close();
        await alone.close(); // the pool waits for every connection to come back
        await orm.close();
      },
      warnOfLosses: (log) => warnOfLosses(kysely, log),
      isSilent: () => announcements.isSilent,
      connections: () => dialect.connections(),
      canWrite: () =>
        mark.touch().then(
          () => true,
          () => false, // the events that could not be stored report the cause
        ),
    };
  } catch (error) {
    if (error instanceof StartRefusal) throw error;
    throw connectionFailure(name, error);
  }
}

/** How many other processes listen on this database. */
async function otherListeners(kysely: Kysely<unknown>, ownPid: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from pg_catalog.pg_stat_activity
    where datname = current_database() and application_name = ${listenerName} and pid <> ${ownPid}`.execute(kysely);
  return rows[0]?.n ?? 0;
}
