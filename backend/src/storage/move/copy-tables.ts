import type { CopiedTable, Move, MovedRow, MovedTable } from "@faultline/plugin";
import { sql, type Kysely } from "kysely";
import { sqlStateOf } from "../database/postgresql/failure.ts";
import { columnsOf } from "./columns.ts";

const rowsAtOnce = 2_000;
const tries = 3;
const uniqueViolation = "23505";

/** Number and combined checksum of the rows of each project. Project 0 has the rows without a project. */
type Sums = Map<number, { rows: number; sum: bigint }>;

/**
 * Replaces the content of some tables of PostgreSQL with the content of SQLite, in one transaction, and compares both.
 * Replacing is simpler than finding the changes, and exact even if rows were renamed, deleted or created again
 * meanwhile.
 */
export async function copyTables(move: Move, tables: readonly MovedTable[]): Promise<CopiedTable[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      const read = await replace(move, tables);
      return await Promise.all(tables.map((table, n) => compared(move, table, read[n] ?? new Map())));
    } catch (error) {
      // A row was deleted and created again under another id between two slices, so it was read twice.
      if (sqlStateOf(error) !== uniqueViolation || attempt === tries) throw error;
    }
  }
}

function replace(move: Move, tables: readonly MovedTable[]): Promise<Sums[]> {
  return move.target.transaction().execute(async (target) => {
    await sql`truncate ${sql.join(tables.map(({ name }) => sql.table(name)))}`.execute(target);
    const all: Sums[] = [];
    for (const table of tables) all.push(await copyTable({ ...move, target }, table));
    return all;
  });
}

async function copyTable(move: Move, table: MovedTable): Promise<Sums> {
  const { source, target } = move;
  const columns = (await columnsOf(target, table.name)).map(({ name }) => name);
  const checksum = await move.checksumOf(table.name);
  const { rows: counted } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table.name)}`.execute(
    source,
  );
  const copied = move.progress(table.name, counted[0]?.n ?? 0);
  // Until the next release, a trigger on `user` fills `identity`. Other tables are empty now, so this costs nothing.
  await sql`delete from ${sql.table(table.name)}`.execute(target);
  const sums: Sums = new Map();
  for await (const rows of slicesOf(source, table, columns)) {
    for (const row of rows) {
      const project = Number(row["project_id"] ?? 0);
      const sum = sums.get(project) ?? { rows: 0, sum: 0n };
      sums.set(project, { rows: sum.rows + 1, sum: sum.sum ^ checksum.ofRow(row) });
    }
    const names = sql.join(columns.map((name) => sql.ref(name)));
    await sql`insert into ${sql.table(table.name)} (${names}) select ${names}
      from json_populate_recordset(null::${sql.table(table.name)}, ${rowsJson(rows)}::json)`.execute(target);
    copied(rows.length);
  }
  return sums;
}

/** The rows of a table in the order of its key. Each slice is read when it is requested. */
async function* slicesOf(
  source: Kysely<unknown>,
  { name, key, owner, rowsAtOnce: limit = rowsAtOnce }: MovedTable,
  columns: readonly string[],
): AsyncGenerator<MovedRow[]> {
  const of = (column: string) => sql.ref(owner && column === "project_id" ? `o.${column}` : `t.${column}`);
  const join = owner ? sql`join ${sql.table(owner.table)} o on o.id = ${of(owner.column)}` : sql``;
  const selected = sql.join(columns.map(of));
  const place = sql.join(key.map(of));
  for (let last: MovedRow | undefined; ;) {
    const from = last;
    const beyond = from ? sql`where (${place}) > (${sql.join(key.map((column) => from[column]))})` : sql``;
    const { rows } = await sql<MovedRow>`
      select ${selected} from ${sql.table(name)} t ${join} ${beyond} order by ${place} limit ${limit}`.execute(source);
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    last = rows.at(-1);
  }
}

/** Rows in the form of json_populate_recordset; bytes in the hexadecimal form of bytea. */
function rowsJson(rows: readonly MovedRow[]): string {
  const plain = (value: unknown) => {
    if (Buffer.isBuffer(value)) return `\\x${value.toString("hex")}`;
    return typeof value === "string" ? storableText(value) : value;
  };
  return JSON.stringify(
    rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)]))),
  );
}

/** The report on a table, with the differences between rows read and rows written, by project. */
async function compared({ target, checksumOf }: Move, { name }: MovedTable, read: Sums): Promise<CopiedTable> {
  const hasProject = (await columnsOf(target, name)).some((column) => column.name === "project_id");
  const { sql: checksum } = await checksumOf(name);
  const { rows } = await sql<{ project: number; rows: number; sum: string }>`
    select ${hasProject ? sql`project_id` : sql`0`} as project, count(*) as rows, bit_xor(${checksum})::text as sum
    from ${sql.table(name)} group by 1`.execute(target);
  const there: Sums = new Map(rows.map((row) => [row.project, { rows: row.rows, sum: BigInt(row.sum) }]));
  const differences = [...new Set([...read.keys(), ...there.keys()])].flatMap((project) => {
    const [was, is] = [read.get(project), there.get(project)];
    if (was?.rows === is?.rows && was?.sum === is?.sum) return [];
    const what = project === 0 ? name : `${name} of project ${project}`;
    if (was?.rows === is?.rows) return `${what}: rows differ from the rows in SQLite`;
    return `${what}: ${is?.rows ?? 0} rows in PostgreSQL, ${was?.rows ?? 0} in SQLite`;
  });
  const count = [...read.values()].reduce((sum, one) => sum + one.rows, 0);
  return { table: name, rows: count, written: count, deleted: 0, differences };
}

/**
 * PostgreSQL stores no NUL and no lone surrogate in text. Services no longer store them, but rows of early releases may
 * have them.
 */
export function storableText(text: string): string {
  return text.replaceAll("\0", "\ufffd").toWellFormed();
}
