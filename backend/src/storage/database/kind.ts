import type { DatabaseKind } from "@faultline/plugin";
import { SqliteDriver, type EntityManager } from "@mikro-orm/sql";

/** The kind of database under the ORM, for the few conditions that differ between them. */
export function kindOf(em: EntityManager): DatabaseKind {
  return em.getDriver() instanceof SqliteDriver ? "sqlite" : "postgresql";
}
