import type { Database } from "@faultline/plugin";
import { sql, type Transaction } from "kysely";
import type { Tables } from "./tables.ts";

/**
 * Changes what people set up one after another, so that no change adds to a list, or takes a name in it, that another has just
 * read. On SQLite transactions that write are so anyway.
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
