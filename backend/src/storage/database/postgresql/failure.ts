import { StartRefusal } from "@faultline/plugin";
import { NotListening } from "./listening-connection.ts";

const sqlState = /^[0-9A-Z]{5}$/;

/** The SQLSTATE of an error of PostgreSQL (appendix A of its manual); undefined for other errors. */
export function sqlStateOf(error: unknown): string | undefined {
  return sentError(error)?.code;
}

/** The error that PostgreSQL sent. Other errors may wrap it. */
function sentError(error: unknown): { readonly code: string; readonly severity: string } | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    const { code, severity } = one as { code?: unknown; severity?: unknown };
    if (typeof code === "string" && typeof severity === "string" && sqlState.test(code)) return { code, severity };
  }
  return undefined;
}

/**
 * Whether the user lacks a right: insufficient_privilege, or invalid_schema_name, which PostgreSQL sends if the user
 * may use no schema.
 */
export function lacksRights(error: unknown): boolean {
  return /^(42501|3F000)$/.test(sqlStateOf(error) ?? "");
}

/**
 * An error of the package `pg` in the form the rest of the code expects. An error that PostgreSQL did not send is a
 * failure of the connection, and gets its code (08006). Parts with values of rows and parameters are removed, because
 * errors are logged.
 */
export function knownError(error: unknown): Error & { readonly code: string } {
  if (sqlStateOf(error) !== undefined) {
    const sent = error as Error & { code: string; detail?: string; where?: string };
    delete sent.detail;
    delete sent.where;
    return sent;
  }
  const words = `The connection to PostgreSQL failed: ${error instanceof Error ? error.message : String(error)}`;
  return Object.assign(new Error(words, { cause: error }), { code: connectionFailed, severity: "FATAL" });
}

const connectionFailed = "08006";

/** The database of a URL for messages, without user and password. */
export function postgresqlName(url: string): string {
  const { host, pathname } = new URL(url);
  return `${decodeURIComponent(pathname.slice(1))} at ${host === "" ? "the local socket" : host}`;
}

/** The refusal for a database that could not be opened, with advice for the operator. */
export function connectionFailure(name: string, error: unknown): StartRefusal {
  const database = `The PostgreSQL database ${name}`;
  if (error instanceof NotListening) {
    return new StartRefusal(
      `${database} does not pass on notifications, which processes need to learn of changes. Point FAULTLINE_DATABASE_URL to the server itself, or to a pooler that keeps sessions.`,
      error,
    );
  }
  const state = sqlStateOf(error) ?? "";
  const reason = (error instanceof Error ? error.message : String(error)).split("\n").at(-1);
  if (state.startsWith("28")) {
    return new StartRefusal(
      `${database} refuses the user or the password in FAULTLINE_DATABASE_URL. Correct them, or allow the user (pg_hba.conf).`,
      error,
    );
  }
  if (state === "3D000") {
    return new StartRefusal(`${database} does not exist. Create it, or correct FAULTLINE_DATABASE_URL.`, error);
  }
  if (lacksRights(error)) {
    const missing = sentError(error)?.severity === "FATAL" ? "connect to it" : "create and use tables in it"; // FATAL: at the start of a session
    return new StartRefusal(
      `${database} does not let this user ${missing}. Make the user its owner. PostgreSQL said: ${reason}.`,
      error,
    );
  }
  return new StartRefusal(
    `${database} cannot be used. Check that the server is running and that FAULTLINE_DATABASE_URL points to it. PostgreSQL said: ${reason}.`,
    error,
  );
}
