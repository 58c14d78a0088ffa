import type { DatabaseKind } from "@faultline/plugin";
import { sql, type RawBuilder } from "kysely";

/**
 * Many rows in one parameter, to select from: each has the single column `value`, a JSON list. PostgreSQL reads its
 * elements as text, so numbers need a cast: `cast(value ->> 0 as bigint)`.
 */
export function jsonRows(kind: DatabaseKind, rows: readonly (readonly unknown[])[]): RawBuilder<unknown> {
  const json = JSON.stringify(rows);
  return kind === "sqlite" ? sql`json_each(${json})` : sql`(select json_array_elements(${json}::json) as value)`;
}
