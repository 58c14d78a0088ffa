import type { DatabaseKind } from "@faultline/plugin";
import { SqliteDriver, type EntityManager } from "@mikro-orm/sql";

/** The database that the ORM works on, for the few conditions that each of them writes in its own way. */
export function kindOf(em: EntityManager): DatabaseKind {
  return em.getDriver() instanceof SqliteDriver ? "sqlite" : "postgresql";
}
