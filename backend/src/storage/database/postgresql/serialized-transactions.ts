import type { Configuration, LogContext, TransactionEventBroadcaster } from "@mikro-orm/core";
import { AbstractSqlDriver, PostgreSqlConnection, PostgreSqlPlatform } from "@mikro-orm/postgresql";
import type { ControlledTransaction } from "kysely";
import { locks } from "./locks.ts";

type Transaction = ControlledTransaction<unknown, string[]>;
type BeginOptions = NonNullable<Parameters<PostgreSqlConnection["begin"]>[0]>;

/**
 * The connection of the ORM, whose transactions run one at a time across all processes, as on SQLite with its one
 * writer: a condition that a transaction checked first, such as that another administrator is left, still holds when it
 * writes. They are changes by people, some a second at most; events and counts are written beside them.
 *
 * Within a process they queue here, so that a hundred at once take one connection of the pool and not all.
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
export class SerializedDriver extends AbstractSqlDriver<SerializedConnection> {
  constructor(configuration: Configuration) {
    super(configuration, new PostgreSqlPlatform(), SerializedConnection, ["kysely", "pg"]);
  }
}
