import { StartRefusal, type Movable, type MovedTable } from "@faultline/plugin";
import { sql, type Kysely } from "kysely";

/** A column of a table of PostgreSQL that the move writes. Computed columns are not written. */
export interface Column {
  readonly name: string;
  readonly type: string;
}

/** Tables that every database has for itself. */
const ownTables = ["faultline", "faultline_move", "mikro_orm_migrations"];

/** The columns of a table of PostgreSQL, in order. */
export async function columnsOf(target: Kysely<unknown>, table: string): Promise<Column[]> {
  const { rows } = await sql<Column>`
    select column_name as name, data_type as type from information_schema.columns
    where table_schema = current_schema() and table_name = ${table} and is_generated = 'NEVER'
    order by ordinal_position`.execute(target);
  return rows;
}

/**
 * Refuses to move if either database has a table that is not copied, or a column that the other lacks: the content
 * would be left behind silently.
 */
export async function checkTables(
  { source, target }: { source: Kysely<unknown>; target: Kysely<unknown> },
  { tables, otherTables }: Pick<Movable, "tables" | "otherTables">,
): Promise<void> {
  const { rows: inSource } = await sql<{ name: string }>`
    select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`.execute(source);
  const { rows: inTarget } = await sql<{ name: string }>`
    select relname as name from pg_catalog.pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition`.execute(
    target,
  );
  const moved = tables.map(({ name }) => name);
  const faults = [
    ...differences(withoutOwn(inSource), [...moved, ...otherTables.sqlite], "SQLite"),
    ...differences(withoutOwn(inTarget), [...moved, ...otherTables.postgresql], "PostgreSQL"),
  ];
  for (const table of faults.length === 0 ? tables : []) {
    const expected = names(await columnsOf(target, table.name));
    faults.push(...differences(await sourceColumns(source, table), expected, `the table ${table.name} of SQLite`));
  }
  if (faults.length === 0) return;
  throw new StartRefusal(`This release cannot move all of the data, so it moves none: ${faults.join("; ")}.`);
}

async function sourceColumns(source: Kysely<unknown>, { name, owner }: MovedTable): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from pragma_table_xinfo(${name}) where hidden = 0`.execute(source);
  return owner ? [...names(rows), "project_id"] : names(rows);
}

function differences(found: readonly string[], known: readonly string[], where: string): string[] {
  const unknown = found.filter((name) => !known.includes(name));
  const missing = known.filter((name) => !found.includes(name));
  return [
    ...unknown.map((name) => `it does not know ${name} in ${where}`),
    ...missing.map((name) => `${name} is missing in ${where}`),
  ];
}

const withoutOwn = (rows: readonly { readonly name: string }[]) =>
  names(rows).filter((name) => !ownTables.includes(name));
const names = (rows: readonly { readonly name: string }[]) => rows.map(({ name }) => name);
