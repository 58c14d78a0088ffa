import { ErrorReason } from "@faultline/proto";
import { ServiceError, type Clock, type Log } from "@faultline/plugin";
import { sql } from "kysely";
import { jsonRows } from "../database/json-rows.ts";
import type { OpenDatabase } from "../database/open-database.ts";
import type { KeyRing } from "./key-ring.ts";
import type { EncryptedColumn } from "./encrypted-columns.ts";

/** Few enough that ingestion waits only a few milliseconds for the writer. */
const sliceSize = 500;

/**
 * A call that began before the last value was encrypted again may still read or write a value of an older key. Calls
 * end after 30 s, so no such call is left after a minute.
 */
const graceMs = 60_000;

/**
 * Replaces the encryption key while the service runs: a new key comes first, stored values are encrypted again a slice
 * at a time, and old keys are deleted when nothing needs them. Each step leaves a readable installation, so a rotation
 * may be cut off anywhere; the next start continues it.
 */
export class KeyRotation {
  readonly #keyRing: KeyRing;
  readonly #columns: readonly EncryptedColumn[];
  readonly #database: OpenDatabase;
  readonly #memory: { changed(): void };
  readonly #clock: Clock;
  readonly #log: Log;
  /** Old keys stay until this time. */
  #graceEndsAt = Number.NEGATIVE_INFINITY;
  /**
   * Values that no key decrypts, because they are damaged or were moved from another row. The values and the keys stay
   * unchanged.
   */
  readonly #unreadable = new Set<string>();

  constructor(parts: {
    keyRing: KeyRing;
    columns: readonly EncryptedColumn[];
    database: OpenDatabase;
    /** Takes the notice that stored values were encrypted again. */
    memory: { changed(): void };
    clock: Clock;
    log: Log;
  }) {
    this.#keyRing = parts.keyRing;
    this.#columns = parts.columns;
    this.#database = parts.database;
    this.#memory = parts.memory;
    this.#clock = parts.clock;
    this.#log = parts.log;
  }

  /**
   * Adds a key, unless a rotation is under way. Refuses with OTHER_PROCESSES_RUN if other processes use the database.
   * Returns how many values must still be encrypted with the newest key.
   */
  async begin(): Promise<number> {
    if (this.#keyRing.keyCount === 1) {
      await this.#refuseBesideOthers();
      try {
        this.#keyRing.rotate();
      } catch (error) {
        throw new ServiceError(
          ErrorReason.STORAGE_UNAVAILABLE,
          "The key file could not be written, so the key has not changed. Check the disk and try again.",
          { cause: error },
        );
      }
      this.#graceEndsAt = this.#clock.now() + graceMs;
    }
    this.#unreadable.clear(); // somebody may have repaired them
    const counts = await Promise.all(this.#columns.map((column) => this.#count(column)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Does a slice of the work. It is called each second, and costs nothing without a rotation. */
  async step(): Promise<void> {
    if (this.#keyRing.keyCount === 1) return;
    let isDone = true;
    for (const column of this.#columns) if (await this.#encryptSlice(column)) isDone = false;
    if (!isDone) this.#graceEndsAt = this.#clock.now() + graceMs;
    if (this.#unreadable.size > 0 || this.#clock.now() < this.#graceEndsAt) return;
    this.#keyRing.dropOldKeys();
    this.#log.info({}, "every stored secret is encrypted with the new key; the old keys are gone");
  }

  /**
   * Only this process would have the new key in its key file, and the others could not read values encrypted with it.
   */
  async #refuseBesideOthers(): Promise<void> {
    const others = await this.#database.otherProcesses();
    if (others === 0) return;
    const who = others === 1 ? "Another process runs" : `${others} other processes run`;
    throw new ServiceError(
      ErrorReason.OTHER_PROCESSES_RUN,
      `${who} on this database and could not read secrets encrypted with a new key. Stop all other processes, rotate, wait until the health page shows one key, copy secrets.json to all, and start them again.`,
    );
  }

  /** Encrypts the next values of a column with the newest key; false if no value is left. */
  async #encryptSlice(column: EncryptedColumn): Promise<boolean> {
    const { table, name, placeOf } = column;
    const rows = await this.#waiting(column);
    const renewed = rows.flatMap(({ id, owner, sealed }) => {
      const place = placeOf(owner);
      try {
        return [[id, sealed, this.#keyRing.encrypt(place, this.#keyRing.decrypt(place, sealed))]];
      } catch (error) {
        this.#unreadable.add(`${table}:${id}`);
        this.#log.error({ err: error, table, id }, "a stored secret cannot be read, so the old encryption keys stay");
        return [];
      }
    });
    if (renewed.length > 0) {
      // A value that changed meanwhile is not overwritten.
      await sql`update ${sql.table(table)} set ${sql.ref(name)} = renewed.value ->> 2
        from ${jsonRows(this.#database.kind, renewed)} renewed
        where ${sql.ref(`${table}.id`)} = cast(renewed.value ->> 0 as bigint)
          and ${sql.ref(`${table}.${name}`)} = renewed.value ->> 1`.execute(this.#database.write());
      this.#memory.changed();
    }
    return rows.length > 0;
  }

  async #waiting({ table, name, owner }: EncryptedColumn) {
    const skipped = [...this.#unreadable].flatMap((key) =>
      key.startsWith(`${table}:`) ? [[Number(key.split(":")[1])]] : [],
    );
    const { rows } = await sql<{ id: number; owner: number; sealed: string }>`
      select id, ${sql.ref(owner)} as owner, ${sql.ref(name)} as sealed from ${sql.table(table)}
      where ${this.#isWaiting(name)} and id not in (
        select cast(value ->> 0 as bigint) from ${jsonRows(this.#database.kind, skipped)} skipped)
      order by id limit ${sliceSize}`.execute(this.#database.write());
    return rows;
  }

  async #count({ table, name }: EncryptedColumn): Promise<number> {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from ${sql.table(table)} where ${this.#isWaiting(name)}`.execute(this.#database.write());
    return rows[0]?.n ?? 0;
  }

  #isWaiting(name: string) {
    const prefix = this.#keyRing.activePrefix;
    return sql`${sql.ref(name)} is not null and substr(${sql.ref(name)}, 1, ${prefix.length}) <> ${prefix}`;
  }
}
