import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { sql, type RawBuilder } from "kysely";
import type { DatabaseKind } from "./move.ts";

/**
 * The end of a query that locks its rows until the transaction ends. SQLite needs no lock, because its only writer has
 * exclusive access.
 */
export const locked = (kind: DatabaseKind): RawBuilder<unknown> => (kind === "sqlite" ? sql`` : sql`for update`);

/** `event_count` becomes `eventCount`. */
type Camel<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name;

type SameNamed<Schema extends DescMessage, Row> = {
  [Column in keyof Row as Extract<Camel<Column>, keyof MessageShape<Schema>>]: Row[Column];
};

/**
 * Returns the fields of a message that have a column of the same name in the row, so that a new column needs no line
 * here. The compiler compares their types.
 */
export function sameNamed<Schema extends DescMessage, Row extends object>(
  schema: Schema,
  row: Row,
): SameNamed<Schema, Row> {
  const columns = row as Readonly<Record<string, unknown>>;
  const fields = schema.fields.filter(({ name }) => name in columns);
  return Object.fromEntries(fields.map(({ name, localName }) => [localName, columns[name]])) as SameNamed<Schema, Row>;
}
