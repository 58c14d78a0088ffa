import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { sqlStateOf } from "./postgresql/failure.ts";

const sqliteRefusals = /SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CORRUPT|CANTOPEN|NOMEM|NOTADB|MISUSE)\b/;

/**
 * Error codes of PostgreSQL 18 (appendix A): connection exceptions; insufficient resources, such as a full disk or too
 * many connections; operator intervention, such as a server that stops or a statement that took too long; errors of the
 * system and damaged files; a lock that another holds; transactions that met each other; read only, as of a standby;
 * a user or a database that is not let in any more.
 */
const postgresqlRefusals = /^(08|53|57|58|XX|55P03$|40001$|40P01$|25006$|25P03$|28|3D000$)/;

/** Whether the database as a whole refuses: nothing is wrong with what was asked of it, and asking again may help. */
export function isStorageFailure(error: unknown): boolean {
  // The ORM's errors hold the driver's sentence.
  return sqliteRefusals.test(String(error)) || postgresqlRefusals.test(sqlStateOf(error) ?? "");
}

/** What a caller is told instead of an error of the database as a whole; anything else stays what it is. */
export function storageRefusal(error: unknown): unknown {
  if (error instanceof ServiceError || !isStorageFailure(error)) return error;
  const isFull = /SQLITE_FULL\b/.test(String(error)) || sqlStateOf(error) === "53100";
  const why = isFull
    ? "The disk that holds the database is full, so nothing was changed. Free some space and try again."
    : "The database cannot be used now, so nothing was changed. Try again in a moment; if it stays, look into the log.";
  return new ServiceError(ErrorReason.STORAGE_UNAVAILABLE, why, { cause: error });
}
