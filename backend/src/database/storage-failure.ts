import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";

const refusals = /SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CORRUPT|CANTOPEN|NOMEM|NOTADB|MISUSE)\b/;

/** Whether the database as a whole refuses: nothing is wrong with what was asked of it, and asking again may help. */
export function isStorageFailure(error: unknown): boolean {
  return refusals.test(String(error)); // the ORM's errors hold the driver's sentence
}

/** What a caller is told instead of an error of the database as a whole; anything else stays what it is. */
export function storageRefusal(error: unknown): unknown {
  if (error instanceof ServiceError || !isStorageFailure(error)) return error;
  const why = /SQLITE_FULL\b/.test(String(error))
    ? "The disk that holds the database is full, so nothing was changed. Free some space and try again."
    : "The database cannot be used now, so nothing was changed. Try again in a moment; if it stays, look into the log.";
  return new ServiceError(ErrorReason.STORAGE_UNAVAILABLE, why, { cause: error });
}
