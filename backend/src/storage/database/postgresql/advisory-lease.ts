import { sql, type Kysely } from "kysely";
import { keepAliveSettings } from "./listening-connection.ts";

/** "FLTN": the first half of the locks' numbers; the second is the hash of the work's name. */
const family = 0x464c544e;

/** The one connection and its release to the pool. */
interface Kept {
  readonly connection: Kysely<unknown>;
  release(): void;
}

/**
 * Lets one process at a time do work that concerns the whole installation, by advisory locks of PostgreSQL. All are on
 * one connection and last as long as it does. A process that dies or loses its connection thereby loses the work to
 * another; what it still does meanwhile must be harmless when done twice.
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
      await ask("pg_advisory_unlock").catch(() => undefined); // without the connection there is no lock either
    }
  }

  /** Releases the connection, and with it every lock. */
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
