import { sql, type Kysely } from "kysely";
import { keepAliveSettings } from "./listening-connection.ts";

/** "FLTN": the first half of the locks' numbers; the second is the hash of the work's name. */
const family = 0x464c544e;

/** A connection that is kept, and what gives it back to the pool. */
interface Kept {
  readonly connection: Kysely<unknown>;
  release(): void;
}

/**
 * Lets one process at a time do a piece of work that is for the whole installation: advisory locks of PostgreSQL, all on
 * one connection, which hold as long as it does. A process that dies, or loses its connection, so gives its work away; what
 * it still does meanwhile must do no harm when it is done twice.
 */
export class AdvisoryLease {
  readonly #database: Kysely<unknown>;
  #kept: Promise<Kept> | undefined;

  constructor(database: Kysely<unknown>) {
    this.#database = database;
  }

  /** Does the work, unless another process is at it. */
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
        if (this.#kept === kept) await this.close(); // the next piece of work connects anew
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

  /** Gives the connection back, and with it every lock. */
  async close(): Promise<void> {
    const kept = this.#kept;
    this.#kept = undefined;
    const found = await kept?.catch(() => undefined);
    if (!found) return;
    await sql`select pg_advisory_unlock_all()`.execute(found.connection).catch(() => undefined); // it may be what broke
    found.release();
  }
}

function keep(database: Kysely<unknown>): Promise<Kept> {
  return new Promise((resolve, reject) => {
    database
      .connection()
      .execute(async (connection) => {
        await sql`select ${sql.raw(keepAliveSettings)}`.execute(connection); // else a lost machine holds its locks on
        await new Promise<void>((release) => {
          resolve({ connection, release });
        });
      })
      .catch(reject);
  });
}
