/** An error of the npm `sqlite3` driver. With extended result codes the last byte of `errno` is the plain code. */
interface DriverError extends Error {
  readonly errno?: number;
  code?: string;
}

/** The plain codes that have extended ones. The driver has names for the plain ones and calls the others UNKNOWN. */
const names: Readonly<Record<number, string>> = {
  1: "SQLITE_ERROR",
  3: "SQLITE_PERM",
  4: "SQLITE_ABORT",
  5: "SQLITE_BUSY",
  6: "SQLITE_LOCKED",
  7: "SQLITE_NOMEM",
  8: "SQLITE_READONLY",
  10: "SQLITE_IOERR",
  11: "SQLITE_CORRUPT",
  13: "SQLITE_FULL",
  14: "SQLITE_CANTOPEN",
  19: "SQLITE_CONSTRAINT",
  23: "SQLITE_AUTH",
};

/** SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC. */
const syncCodes = new Set([1034, 1290]);

/** Names an error with an extended code after its plain one, which messages and programs go by. */
export function withKnownName(error: Error): Error {
  const driverError: DriverError = error;
  const name = names[(driverError.errno ?? 0) & 0xff];
  if (driverError.code === "UNKNOWN" && name) {
    driverError.code = name;
    driverError.message = driverError.message.replace(/^UNKNOWN: /, `${name}: `);
  }
  return driverError;
}

/**
 * Whether a sync failed. The system then forgets that the pages were not written: the next sync reports success, and a
 * later read may return the old content. So nothing may build on what this process believes to be stored.
 */
export function failedSync(error: Error): boolean {
  return syncCodes.has((error as DriverError).errno ?? 0);
}

/** Whether another process kept the database's lock for longer than a statement waits for it. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Error && (error as DriverError).code === "SQLITE_BUSY";
