import type { Host } from "@faultline/plugin";
import type { ErrorStatus, ListEventsRequest } from "@faultline/proto";
import type { Kysely, RawBuilder, SqlBool } from "kysely";
import type { WriterCache, BatchParameters } from "./storing/batch-parameters.ts";
import type { EvictionStorage } from "./retention/evict-events.ts";
import type { Group } from "./storing/known-group.ts";
import type { SearchToken } from "./search/search-token.ts";
import type { Pieces } from "./search/pieces.ts";
import type { SessionParameters } from "./sessions/session-parameters.ts";
import type { OfDeletion, DueError, EventTable, Tables } from "./tables.ts";

/**
 * The tables on one of the databases: what SQLite and PostgreSQL do each in their own way. Queries that both understand
 * lie beside this file and take a Storage, for the few words that differ.
 */
export interface Storage {
  readonly read: Kysely<Tables>;
  readonly write: Kysely<Tables>;
  readonly dialect: SqlDialect;
  readonly memory: WriterCache;
  readonly readExpensively: Kysely<Tables>;
  /** Expensive reads that may run at once. */
  readonly expensiveReads: number;

  /** Makes what storing needs, before the first event. */
  prepare(now: number): Promise<void>;
  /** Begins the work in the background that is this database's own. */
  schedule(host: Host): void;

  /** Stores a batch, all of it or nothing, also within a transaction; false when one of its events is stored already. */
  storeBatch(database: Kysely<Tables>, batch: BatchParameters): Promise<boolean>;
  /** Which of the events, a JSON list of project and event id, are stored: their places in the list. */
  storedAmong(database: Kysely<Tables>, events: string): Promise<number[]>;
  /** What is known of groups, in their order: whether each is an error already, and how many its project made lately. */
  groups(groups: readonly (readonly [projectId: number, hash: string])[]): Promise<readonly Group[]>;
  /** Stores sessions, all of them or nothing. */
  storeSessions(database: Kysely<Tables>, sessions: SessionParameters): Promise<void>;
  /**
   * Stores what is not there yet of a JSON list of FeedbackTable's columns, ids in hexadecimal digits and no entry twice,
   * up to `max` entries of an event. Returns the places in the list of those that are beyond it.
   */
  storeFeedback(database: Kysely<Tables>, feedback: string, max: number): Promise<number[]>;

  /** The next events of an error of a project, newest first; undefined: there is no such error. */
  nextEvents(page: EventPage): Promise<EventTable[] | undefined>;
  /** An event's JSON as it was sent. */
  eventJson(event: Pick<EventTable, "project_id" | "id">): Promise<Buffer>;
  /** Sets the statuses of errors of a project, which are locked in the order in which batches lock them. */
  setStatuses(transaction: Kysely<Tables>, change: StatusChange): Promise<void>;

  /** Indexes the texts of errors for searches, and forgets those that are gone: none of them is due then. */
  indexErrors(errors: readonly DueError[]): Promise<void>;

  /**
   * Deletes what is older than the retention, oldest first, and sessions as soon as they cannot change any more. Answers
   * how many rows were deleted. What the signal interrupts is done by the next run.
   */
  deleteExpired(now: number, signal: AbortSignal): Promise<number>;
  readonly eviction: EvictionStorage;
  /** Erases the next few events or errors of a deletion, for good; storing waits only some milliseconds for it. */
  eraseNext(of: OfDeletion): Promise<Erased>;
  /** Makes the space of what was erased usable again. */
  giveSpaceBack(signal: AbortSignal): Promise<void>;
  /** See ErrorBackend.deleteProject. Nobody reads the project any more, so its counters do not follow. */
  deleteProject(projectId: number): Promise<boolean>;
}

/** Where a page of events begins, and how many it wants. */
export interface EventPage extends Pick<ListEventsRequest, "projectId" | "startTime" | "endTime"> {
  readonly errorId: number;
  readonly place: readonly [occurredAt: number, id: number] | undefined;
  readonly limit: number;
}

export interface StatusChange {
  readonly projectId: number;
  readonly statuses: readonly (readonly [errorId: number, status: ErrorStatus])[];
  readonly now: number;
}

/** What one slice erased. */
export interface Erased {
  readonly eventCount: number;
  /** Whether nothing is left of the deletion's errors. */
  readonly isDone: boolean;
}

/** What is searched for in a project, and what the index looks up of it. */
export interface Search {
  readonly projectId: number;
  readonly tokens: readonly SearchToken[];
  readonly pieces: Pieces;
  /** A query for the ids of those errors of a table that match. */
  matching(errors: RawBuilder<unknown>): RawBuilder<unknown>;
}

/** Errors that a search may find. */
export interface Found {
  /** A query for their ids. */
  readonly ids: RawBuilder<unknown>;
  /** A query for the status of each of them, where the index knows it. */
  readonly statuses?: RawBuilder<unknown>;
  /** The words that all of them match for certain. */
  readonly met: readonly SearchToken[];
}

/** Words of SQL that differ. */
export interface SqlDialect {
  /** That a column contains a text; ASCII letters match in either case. */
  contains(column: string, text: string): RawBuilder<SqlBool>;
  /** Joins tables in the order in which they are written. */
  readonly joinInOrder: RawBuilder<unknown>;
  /** Hours and counts of a table with such columns, as JSON text. */
  readonly hourList: RawBuilder<string>;
  /** Whether sorting by row id is what reading does anyway. PostgreSQL reads partitions in the order of their days. */
  readonly sortsByRowId: boolean;
  /** The bytes of what holds payloads, by project: a query of project, 0, bytes, 0. */
  readonly storedPayloads: RawBuilder<unknown>;
  /** Events that are gone and still counted by their errors: a query of project and minus their number. */
  readonly expiredEvents: RawBuilder<unknown>;
  /** ` and <one>.project_id = <other>.project_id` where keys begin with the project; empty where one of them has none. */
  sameProject(one: string, other: string): RawBuilder<unknown>;
  /** The end of a query whose rows are to stay as they are until the transaction ends. */
  readonly locked: RawBuilder<unknown>;
  /** The name of a type that takes any id. */
  readonly bigInteger: RawBuilder<unknown>;
  /** The hash of an error that is hidden: no event has it, and errors that are hidden keep their order. */
  readonly hiddenHash: RawBuilder<unknown>;
  /** What a search may find by its pieces, or is due. `among`: a query for the ids to which all are limited. */
  errorsWith(search: Search, among?: RawBuilder<unknown>): Found;
  /** Whether the index has all texts in small letters: to count there takes half of what it takes among the errors. */
  readonly hasIndexedTexts: boolean;
  /**
   * A query for the ids of the errors with a status that a search finds, each once, which is read in the order of
   * the index: who wants some of them reads no more. `share`: the part of the project's errors that has the status.
   */
  idsOfStatus(search: Search, status: ErrorStatus, share: number): RawBuilder<unknown>;
  /** That a row of integrated_error is one of a project's few, by a query for their ids. */
  isAmong(projectId: number, ids: RawBuilder<unknown>): RawBuilder<SqlBool>;
  /** That a row of sessions is of one of a project's releases, by a query for their ids. */
  isOfRelease(projectId: number, ids: RawBuilder<unknown>): RawBuilder<SqlBool>;
  /** The errors of a project with a status that are among many, as a table that is read along an index. */
  among(projectId: number, status: RawBuilder<unknown>, ids: RawBuilder<unknown>): RawBuilder<unknown>;
  /** A JSON list of values. */
  jsonArray(values: readonly RawBuilder<unknown>[]): RawBuilder<unknown>;
  /** A JSON list of one such list a row. */
  jsonOfRows(row: RawBuilder<unknown>): RawBuilder<unknown>;
  /** A column of bytes, in hexadecimal digits. */
  hexOf(column: string): RawBuilder<string>;
  /** A table of that name with the column `value`. */
  valuesOf(numbers: readonly number[], name: string): RawBuilder<unknown>;
}
