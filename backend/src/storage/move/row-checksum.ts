import { hash } from "node:crypto";
import type { RowChecksum } from "@faultline/plugin";
import { sql, type Kysely, type RawBuilder } from "kysely";
import { columnsOf, type Column } from "./columns.ts";
import { storableText } from "./storable-text.ts";

const absent = "\\N";

/** The checksum of the rows of a table of PostgreSQL. */
export async function rowChecksum(target: Kysely<unknown>, table: string): Promise<RowChecksum> {
  const columns = await columnsOf(target, table);
  const text = sql.join(
    columns.map((column) => sql`coalesce(${asText(column)}, ${sql.lit(absent)})`),
    sql` || chr(10) || `,
  );
  return {
    ofRow: (row) =>
      hash("sha256", columns.map(({ name }) => valueAsText(row[name])).join("\n"), "buffer").readBigInt64BE(0),
    sql: sql`substring(sha256(convert_to(${text}, 'UTF8')) from 1 for 8)::bigint`,
  };
}

function asText({ name, type }: Column): RawBuilder<unknown> {
  const column = sql.ref(name);
  if (type === "bytea") return sql`encode(${column}, 'hex')`;
  return type === "boolean" ? sql`${column}::integer::text` : sql`${column}::text`; // SQLite has 0 and 1
}

function valueAsText(value: unknown): string {
  if (value === null || value === undefined) return absent;
  return Buffer.isBuffer(value) ? value.toString("hex") : storableText(String(value));
}
