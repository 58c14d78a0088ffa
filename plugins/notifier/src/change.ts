import type { Database } from "@faultline/plugin";
import { sql, type Transaction } from "kysely";
import type { Tables } from "./tables.ts";

/**
 * Serializes changes to the things that people set up, so that no change extends a list, or takes a name in it, that
 * another change has just read. SQLite serializes write transactions anyway.
 */
export function change<T>(
  database: Database,
  table: "notifier_channel" | "notifier_rule",
  work: (transaction: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  return database
    .write<Tables>()
    .transaction()
    .execute(async (transaction) => {
      if (database.kind === "postgresql") {
        await sql`lock table ${sql.table(table)} in share row exclusive mode`.execute(transaction);
      }
      return work(transaction);
    });
}
