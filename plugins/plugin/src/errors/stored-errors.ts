import { ErrorReason, ErrorStatus, type UpdateMatchingErrorsRequest } from "@faultline/proto";
import type { Kysely } from "kysely";
import { invalidField, ServiceError } from "../service-error.ts";

/**
 * The errors that this service stores, for plugins that change many of them. A change runs in a transaction of the
 * plugin, so that the plugin's rows always agree with the errors. Ids are row ids. Deleted errors are not found.
 */
export interface StoredErrors {
  /** Returns the id of the newest error of a project, or 0 if the project has no error. */
  newest(projectId: number): Promise<number>;
  /**
   * Finds errors that match, with errors of the same status next to each other. Refuses a search for a tag that no
   * error has. Searches are queued and limited in time, and never wait for the writer.
   */
  find(wanted: MatchingErrors, search: BoundedSearch): Promise<readonly FoundError[]>;
  /** Sets statuses, and returns the changed errors with their former statuses. Publish the changes after the commit. */
  setStatuses<T>(transaction: Kysely<T>, change: StatusesToSet): Promise<readonly ChangedError[]>;
  /** Returns which of the errors are in the project. */
  existing<T>(transaction: Kysely<T>, projectId: number, errorIds: readonly number[]): Promise<ReadonlySet<number>>;
}

/** The condition of errors that are changed together. */
export interface MatchingErrors {
  readonly projectId: number;
  readonly query: string;
  /** UNSPECIFIED stands for all statuses. */
  readonly status: ErrorStatus;
  /** Newer errors do not match. */
  readonly lastErrorId: number;
  /** When the change was requested, in milliseconds since 1970: the search counts ages from this time. */
  readonly now: number;
  /** Errors of this status do not match. */
  readonly except?: ErrorStatus;
}

/** The bounds of a search. */
export interface BoundedSearch {
  /** The most errors that are found. */
  readonly most: number;
  /** A sentence that tells a person how to continue if the search takes too long. */
  readonly advice: string;
  /** The searching user, because a user may run one search at a time. Undefined if the service searches. */
  readonly userId?: number | undefined;
  /** Aborted when the caller no longer waits. */
  readonly signal?: AbortSignal | undefined;
}

/** An error that matches. */
export interface FoundError {
  readonly id: number;
  readonly status: ErrorStatus;
}

/** Statuses that are set in one transaction. */
export interface StatusesToSet {
  readonly projectId: number;
  /** The new status of each error. */
  readonly wanted: ReadonlyMap<number, ErrorStatus>;
  /** Other errors keep their status. */
  readonly only?: StatusCondition | undefined;
  /** Who sets them, and when. */
  readonly actor: Actor;
}

/** The condition under which an error gets another status. */
export interface StatusCondition {
  /** The error's current status. */
  readonly status?: ErrorStatus;
  /** The time of the error's newest change, in milliseconds since 1970, if no event has reopened the error since. */
  readonly changedAt?: number;
  /** The error's status has not changed after this time, in milliseconds since 1970. */
  readonly unchangedSince?: number;
}

/** Who changes errors, and when. */
export interface Actor {
  /** The user name. Empty if the service makes the change. */
  readonly by: string;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** A changed error with its former status. */
export interface ChangedError extends FoundError {
  /** The key under which `ErrorChanges.publish` takes the change. */
  readonly key: string;
}

/** The row id of an error, or 0 if the text cannot be a row id. */
export function errorRowId(errorId: string): number {
  return /^[1-9]\d{0,14}$/.test(errorId) ? Number(errorId) : 0;
}

/** Advice to a person if the search for all matching errors takes too long or finds too many. */
export const searchByKey = "Search by a key, such as type:TypeError or environment:production.";

type Matching = Pick<UpdateMatchingErrorsRequest, "status" | "newStatus" | "expectedCount">;

/** Refuses a change of all errors if its old and new status are not an allowed pair. */
export function checkNewStatus({ status, newStatus }: Pick<Matching, "status" | "newStatus">): void {
  checkSearchedStatus("status", status);
  checkStatus("new_status", newStatus, ErrorStatus.UNRESOLVED);
  if (status === newStatus)
    throw invalidField("new_status", "The errors already have this status. Choose another status.");
}

/** Refuses a status that cannot be searched for. */
export function checkSearchedStatus(field: string, status: ErrorStatus): void {
  checkStatus(field, status, ErrorStatus.UNSPECIFIED);
}

function checkStatus(field: string, status: ErrorStatus, least: ErrorStatus): void {
  if (status < least || status > ErrorStatus.IGNORED) {
    throw invalidField(field, "Choose unresolved, resolved or ignored.");
  }
}

/** Refuses a change of all matching errors that does not give their expected number. */
export function checkIsExpected({ expectedCount }: Pick<Matching, "expectedCount">): void {
  if (expectedCount > 0) return;
  throw invalidField("expected_count", "Give the number of errors that you expect to change.");
}

/**
 * Refuses a count that is more than 10 % off, because the list has changed since, or the search is not the intended
 * search. `act` is the action on the errors, as a verb and its past tense.
 */
export function checkExpected(
  { found, expected, field }: { found: number; expected: number; field: string },
  act: readonly [verb: string, past: string],
): void {
  if (Math.abs(found - expected) <= expected / 10) return;
  const errors = found === 1 ? "1 error matches" : `${found.toLocaleString("en")} errors match`;
  throw new ServiceError(
    ErrorReason.EXPECTED_COUNT_DIFFERS,
    `${errors} now, but ${expected.toLocaleString("en")} were expected, so nothing was ${act[1]}. Check the list again, and ${act[0]} with the current number.`,
    { field },
  );
}
