import { sql, type Kysely } from "kysely";

/**
 * Lets PostgreSQL assign only ids beyond those that SQLite assigned, also to rows that are gone since: an old link
 * never leads to something new.
 */
export async function continueIdentities(source: Kysely<unknown>, target: Kysely<unknown>): Promise<void> {
  const { rows: identities } = await sql<{ table: string; column: string }>`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = current_schema() and is_identity = 'YES'`.execute(target);
  const { rows: given } = await sql<{ name: string; seq: number }>`select name, seq from sqlite_sequence`.execute(
    source,
  );
  const givenOut = new Map(given.map(({ name, seq }) => [name, seq]));
  for (const { table, column } of identities) {
    await sql`select setval(pg_get_serial_sequence(quote_ident(${table}), ${column}),
      greatest((select max(${sql.ref(column)}) from ${sql.table(table)}), ${givenOut.get(table) ?? 0}::bigint) + 1, false)
    `.execute(target);
  }
}
