import { setTimeout as delay } from "node:timers/promises";
import { StartRefusal } from "@faultline/plugin";
import type { MikroORM } from "@mikro-orm/sql";
import { sql, type Kysely } from "kysely";
import { lacksRights, sqlStateOf } from "./failure.ts";
import type { Mark } from "./mark.ts";
import { locks } from "./locks.ts";

/** A migration neither waits for a lock nor makes others wait behind it for longer than this. */
const lockTimeoutMs = 200;
const tries = 100;

/** How long a start waits for another one that migrates, and how often it checks. */
const waitForOthersMs = 120_000;
const lookMs = 100;

const lockNotAvailable = "55P03";

/**
 * Brings the database to the schema of this release. Of several processes that start at once, one migrates and the
 * others wait.
 */
export async function migrate(orm: MikroORM, kysely: Kysely<unknown>, mark: Mark): Promise<void> {
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

/** Runs one migration in one transaction, repeated while others hold what it needs. */
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
