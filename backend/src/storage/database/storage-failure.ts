import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { sqlStateOf } from "./postgresql/failure.ts";

const sqliteRefusals = /SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CORRUPT|CANTOPEN|NOMEM|NOTADB|MISUSE)\b/;

/**
 * SQLSTATEs of PostgreSQL 18 (appendix A): connection exceptions; insufficient resources, such as a full disk or too
 * many connections; operator intervention, such as a server that stops or a statement that took too long; system errors
 * and damaged files; a lock held by others; serialization failures and deadlocks; read only, as on a standby; a user or
 * database that may no longer connect, and revoked rights.
 */
const postgresqlRefusals = /^(08|53|57|58|XX|55P03$|40001$|40P01$|25006$|25P03$|28|3D000$|42501$)/;

/** Whether the database as a whole refuses. The statement is not at fault then, and repeating it may help. */
export function isStorageFailure(error: unknown): boolean {
  // The ORM's errors contain the driver's sentence.
  return sqliteRefusals.test(String(error)) || postgresqlRefusals.test(sqlStateOf(error) ?? "");
}

/** The refusal for a failure of the database as a whole; any other error unchanged. */
export function storageRefusal(error: unknown): unknown {
  if (error instanceof ServiceError || !isStorageFailure(error)) return error;
  const isFull = /SQLITE_FULL\b/.test(String(error)) || sqlStateOf(error) === "53100";
  const why = isFull
    ? "The disk that holds the database is full, so nothing was changed. Free some space and try again."
    : "The database cannot be used now, so nothing was changed. Try again in a moment. If it persists, check the service log.";
  return new ServiceError(ErrorReason.STORAGE_UNAVAILABLE, why, { cause: error });
}
