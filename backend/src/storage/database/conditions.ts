import { type DatabaseKind, invalidField } from "@faultline/plugin";
import { raw } from "@mikro-orm/core";
import { SqliteDriver, type EntityManager } from "@mikro-orm/sql";

/** The kind of database under the ORM, for the few conditions that differ between them. */
export function kindOf(em: EntityManager): DatabaseKind {
  return em.getDriver() instanceof SqliteDriver ? "sqlite" : "postgresql";
}

/** The condition that a column contains the text of the request field `query`; ASCII letters match in either case. */
export function contains(em: EntityManager, text: string) {
  if (text.length > 200) throw invalidField("query", "A search has at most 200 characters.");
  const pattern = `%${text.replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
  // LIKE of SQLite ignores the case of ASCII letters; ILIKE of PostgreSQL ignores it for all letters of a collation.
  return kindOf(em) === "sqlite"
    ? { $like: raw<string>("? escape '\\'", [pattern]) }
    : { $ilike: raw<string>(`? collate "C"`, [pattern]) };
}
