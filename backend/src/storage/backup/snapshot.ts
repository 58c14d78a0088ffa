import { once } from "node:events";
import sqlite3 from "sqlite3";

/** A read-only connection, for work during a running service. */
export class Snapshot {
  readonly #database: sqlite3.Database;

  private constructor(database: sqlite3.Database) {
    this.#database = database;
  }

  static async open(file: string): Promise<Snapshot> {
    const database = new sqlite3.Database(file, sqlite3.OPEN_READONLY);
    await once(database, "open");
    database.configure("busyTimeout", 10_000);
    return new Snapshot(database);
  }

  rows(sql: string): Promise<Record<string, unknown>[]> {
    return new Promise((resolve, reject) =>
      this.#database.all<Record<string, unknown>>(sql, (error, rows) => (error ? reject(error) : resolve(rows))),
    );
  }

  /** The one value of a query. */
  async value(sql: string): Promise<unknown> {
    const [row] = await this.rows(sql);
    return Object.values(row ?? {})[0];
  }

  close(): Promise<void> {
    return new Promise((resolve, reject) => this.#database.close((error) => (error ? reject(error) : resolve())));
  }
}
