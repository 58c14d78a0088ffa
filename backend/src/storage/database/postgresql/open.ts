import { setTimeout as delay } from "node:timers/promises";
import type { Configuration, LogContext, TransactionEventBroadcaster } from "@mikro-orm/core";
import { AbstractSqlDriver, PostgreSqlConnection, PostgreSqlPlatform } from "@mikro-orm/postgresql";
import { StartRefusal, type Entity, type MigrationClass, type Log } from "@faultline/plugin";
import { Migrator } from "@mikro-orm/migrations";
import { MikroORM } from "@mikro-orm/sql";
import { sql, type Kysely, type ControlledTransaction } from "kysely";
import type { OpenDatabase } from "../open-database.ts";
import { PostgresqlDialect } from "./dialect.ts";
import { PostgresqlAnnouncements } from "./announcements.ts";
import { connectionFailure, postgresqlName, lacksRights, sqlStateOf } from "./failure.ts";
import { listenerName, keepAliveSettings } from "./listening-connection.ts";
import { Mark } from "./mark.ts";

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

/** From the manual's chapter "Reliability and the Write-Ahead Log". All three are on by default. */
const settings = ["fsync", "full_page_writes", "synchronous_commit"];

/** Warns of settings with which the server may lose confirmed data if it or its machine ends abruptly. */
async function warnOfLosses(kysely: Kysely<unknown>, log: Log): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select name from pg_catalog.pg_settings
    where name in (${sql.join(settings)}) and setting = 'off' order by name`.execute(kysely);
  for (const { name } of rows) {
    log.warn({ setting: name }, `PostgreSQL can lose stored events because its setting ${name} is off. Turn it on`);
  }
}

/** "FLTN", the first half of the locks' numbers. The second half is the hash of the work's name. */
const family = 0x464c544e;

/** The single connection and its release to the pool. */
interface Kept {
  readonly connection: Kysely<unknown>;
  release(): void;
}

/**
 * Lets one process at a time do work that concerns the whole installation, by advisory locks of PostgreSQL. All locks
 * are on one connection and end with it. A process that dies or loses its connection loses the work to another process.
 * Both may work briefly, so the work must be harmless when done twice.
 */
export class AdvisoryLease {
  readonly #database: Kysely<unknown>;
  #kept: Promise<Kept> | undefined;

  constructor(database: Kysely<unknown>) {
    this.#database = database;
  }

  /** Does the work, unless another process is doing it. */
  async run(name: string, work: () => Promise<void>): Promise<void> {
    this.#kept ??= keep(this.#database);
    const kept = this.#kept;
    const ask = async (call: "pg_try_advisory_lock" | "pg_advisory_unlock") => {
      try {
        const { connection } = await kept;
        const { rows } = await sql<{ done: boolean }>`
          select ${sql.raw(call)}(${family}, hashtext(${name})) as done`.execute(connection);
        return rows[0]?.done === true;
      } catch (error) {
        if (this.#kept === kept) await this.close(); // the next work connects again
        throw error;
      }
    };
    if (!(await ask("pg_try_advisory_lock"))) return;
    try {
      await work();
    } finally {
      await ask("pg_advisory_unlock").catch(() => undefined); // without the connection no lock exists
    }
  }

  /** Releases the connection with all locks. */
  async close(): Promise<void> {
    const kept = this.#kept;
    this.#kept = undefined;
    const found = await kept?.catch(() => undefined);
    if (!found) return;
    await sql`select pg_advisory_unlock_all()`.execute(found.connection).catch(() => undefined); // it may be broken
    found.release();
  }
}

function keep(database: Kysely<unknown>): Promise<Kept> {
  return new Promise((resolve, reject) => {
    database
      .connection()
      .execute(async (connection) => {
        await sql`select ${sql.raw(keepAliveSettings)}`.execute(connection); // otherwise a lost machine keeps its locks
        await new Promise<void>((release) => {
          resolve({ connection, release });
        });
      })
      .catch(reject);
  });
}

/** The longest time that a migration waits for a lock, and that others wait behind it. */
const lockTimeoutMs = 200;
const tries = 100;

/** How long a start waits while another start migrates, and how often it checks. */
const waitForOthersMs = 120_000;
const lookMs = 100;

const lockNotAvailable = "55P03";

/**
 * Brings the database to the schema of this release. If several processes start simultaneously, one migrates and the
 * others wait.
 */
async function migrate(orm: MikroORM, kysely: Kysely<unknown>, mark: Mark): Promise<void> {
  await kysely.connection().execute(async (holder) => {
    await takeLock(holder);
    try {
      await mark.check(); // another release may have been faster
      await mark.make();
      for (const { name } of await orm.migrator.getPending()) await runOne(orm, name);
    } finally {
      await sql`select pg_advisory_unlock(${sql.lit(locks.migrations)})`.execute(holder);
    }
  });
}

/** The lock belongs to the session: it ends with the process. */
async function takeLock(holder: Kysely<unknown>): Promise<void> {
  const deadline = performance.now() + waitForOthersMs;
  for (;;) {
    const taken = sql<{ taken: boolean }>`select pg_try_advisory_lock(${sql.lit(locks.migrations)}) as taken`;
    if ((await taken.execute(holder)).rows[0]?.taken) return;
    if (performance.now() > deadline) {
      throw new StartRefusal(
        "Another Faultline has been migrating the PostgreSQL database for two minutes. Wait until it has started, then start again.",
      );
    }
    await delay(lookMs);
  }
}

/** Runs a migration in a transaction, and repeats it while other transactions hold its locks. */
async function runOne(orm: MikroORM, name: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await orm.em.fork().transactional(async (em) => {
        await em.execute(`set local lock_timeout = ${lockTimeoutMs}`);
        await orm.migrator.up({ migrations: [name], transaction: em.getTransactionContext() });
      });
    } catch (error) {
      if (lacksRights(error)) throw error; // the schema is not at fault
      if (sqlStateOf(error) !== lockNotAvailable || attempt === tries) throw migrationRefusal(name, error);
      await delay(lockTimeoutMs);
    }
  }
}

function migrationRefusal(name: string, error: unknown): StartRefusal {
  const reason = String(error).split("\n").at(-1);
  return new StartRefusal(
    `The PostgreSQL database could not be migrated to the schema of this release and is unchanged since before the step ${name}. Start the previous release, and report this: ${reason}.`,
    error,
  );
}

type Transaction = ControlledTransaction<unknown, string[]>;
type BeginOptions = NonNullable<Parameters<PostgreSqlConnection["begin"]>[0]>;

/**
 * The connection of the ORM. It runs one transaction at a time across all processes, like SQLite with its single
 * writer: a condition that a transaction checks first, such as that another administrator is left, still holds when it
 * writes. These transactions are changes by people, a few a second at most; events and counts do not wait for them.
 *
 * Within a process they queue here, so that a hundred simultaneous transactions take one connection of the pool and not
 * all.
 */
class SerializedConnection extends PostgreSqlConnection {
  #last: Promise<void> = Promise.resolve();
  readonly #ends = new WeakMap<object, () => void>();

  override async begin(options: BeginOptions = {}): Promise<Transaction> {
    if (options.ctx) return super.begin(options); // part of a transaction
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const before = this.#last;
    this.#last = before.then(() => ended);
    await before;
    try {
      const transaction = await super.begin(options);
      await this.#lock(transaction);
      this.#ends.set(transaction, end);
      return transaction;
    } catch (error) {
      end();
      throw error;
    }
  }

  async #lock(transaction: Transaction): Promise<void> {
    try {
      await this.execute(`select pg_advisory_xact_lock(${locks.changes})`, [], "run", transaction);
    } catch (error) {
      await transaction.rollback().execute(); // the ORM never learned of it
      throw error;
    }
  }

  override async commit(
    transaction: Transaction,
    broadcaster?: TransactionEventBroadcaster,
    logging?: LogContext,
  ): Promise<void> {
    await super.commit(transaction, broadcaster, logging); // when it fails, a rollback follows
    this.#ends.get(transaction)?.();
  }

  override async rollback(
    transaction: Transaction,
    broadcaster?: TransactionEventBroadcaster,
    logging?: LogContext,
  ): Promise<void> {
    try {
      await super.rollback(transaction, broadcaster, logging);
    } finally {
      this.#ends.get(transaction)?.();
    }
  }
}

/** The ORM's driver of PostgreSQL, with serialized transactions. */
class SerializedDriver extends AbstractSqlDriver<SerializedConnection> {
  constructor(configuration: Configuration) {
    super(configuration, new PostgreSqlPlatform(), SerializedConnection, ["kysely", "pg"]);
  }
}

/** The numbers of Faultline's advisory locks, "FLTN" and a number. All programs on a database share these numbers. */
const locks = { migrations: 0x464c544e_01, changes: 0x464c544e_02 };
