import type { Actor, Host } from "@faultline/plugin";
import type { Pattern, Term } from "@faultline/plugin/search";
import type { ErrorStatus, ListEventsRequest } from "@faultline/proto";
import type { Kysely, RawBuilder, SqlBool } from "kysely";
import type { WriterCache, BatchParameters } from "./storing/batch-parameters.ts";
import type { OfDeletion, DueError, EventTable, Tables } from "./tables.ts";
import type { CountedEvent, Counts } from "./counts/counts.ts";

/**
 * The operations that SQLite and PostgreSQL each implement in their own way. Queries that both understand are in other
 * files of this folder and take a Storage for the few words that differ.
 */
export interface Storage {
  readonly read: Kysely<Tables>;
  readonly write: Kysely<Tables>;
  readonly writeEvents: Kysely<Tables>;
  readonly dialect: SqlDialect;
  readonly memory: WriterCache;
  readonly counting: CountStorage;
  readonly readExpensively: Kysely<Tables>;
  /** Expensive reads that may run concurrently. */
  readonly expensiveReads: number;

  /** Creates the structures that storing needs before the first event. */
  prepare(now: number): Promise<void>;
  /** Starts the background work that only this database needs. */
  schedule(host: Host): void;

  /** Stores a batch atomically, also within a transaction. Returns false if one of its events is already stored. */
  storeBatch(database: Kysely<Tables>, batch: BatchParameters): Promise<boolean>;
  /** Takes a JSON list of project and event id, and returns the positions of the stored events in it. */
  storedAmong(database: Kysely<Tables>, events: string): Promise<number[]>;
  /**
   * The state of groups, in their order: the error of each group, if it has one, and the number of errors that its
   * project created lately.
   */
  groups(groups: readonly (readonly [projectId: number, hash: string])[]): Promise<readonly Group[]>;
  /** Stores sessions atomically. */
  storeSessions(database: Kysely<Tables>, sessions: SessionParameters): Promise<void>;
  /**
   * Stores the new entries of a JSON list, up to `max` entries per event. An entry has FeedbackTable's columns after
   * the id, with ids in hexadecimal digits, and no entry is listed twice. Returns the positions of the entries beyond
   * the limit.
   */
  storeFeedback(database: Kysely<Tables>, feedback: string, max: number): Promise<number[]>;

  /** The next events of an error of a project, newest first. Undefined if the error does not exist. */
  nextEvents(page: EventPage): Promise<EventTable[] | undefined>;
  /** The JSON of an event, exactly the bytes that were sent. */
  eventJson(event: Pick<EventTable, "project_id" | "id">): Promise<Buffer>;
  /**
   * The JSON of some events of a project, each with its row id, from the newest block to the oldest. Skips events that
   * are deleted meanwhile.
   */
  eventJsons(
    database: Kysely<Tables>,
    events: readonly Pick<EventTable, "project_id" | "id">[],
  ): AsyncIterable<readonly [rowId: number, json: Buffer]>;
  /** Sets the statuses of errors of a project, in the order in which batches lock errors, and signs the transitions. */
  setStatuses(transaction: Kysely<Tables>, change: StatusChange): Promise<void>;

  /**
   * Indexes the texts of errors for searches, and removes deleted errors from the index. Afterwards none of them is
   * due.
   */
  indexErrors(errors: readonly DueError[]): Promise<void>;

  /**
   * Deletes rows older than the retention, oldest first, and sessions that can no longer change. Returns the number of
   * deleted rows. After an abort, the next run continues.
   */
  deleteExpired(now: number, signal: AbortSignal): Promise<number>;
  readonly eviction: EvictionStorage;
  /** Erases some events or errors of a deletion for good. Storing waits only some milliseconds for it. */
  eraseNext(of: OfDeletion): Promise<Erased>;
  /** Makes the space of erased rows available again. */
  giveSpaceBack(signal: AbortSignal): Promise<void>;
  /** See ErrorBackend.deleteProject. Nobody reads the project anymore, so its counters are not updated. */
  deleteProject(projectId: number): Promise<boolean>;
}

/** The start and the size of a page of events. */
export interface EventPage extends Pick<ListEventsRequest, "projectId" | "startTime" | "endTime"> {
  readonly errorId: number;
  readonly place: readonly [occurredAt: number, id: number] | undefined;
  readonly limit: number;
}

export interface StatusChange {
  readonly projectId: number;
  readonly statuses: readonly (readonly [errorId: number, status: ErrorStatus])[];
  readonly actor: Actor;
}

/** The result of erasing one slice. */
export interface Erased {
  readonly eventCount: number;
  /** Whether the deletion has no errors left. */
  readonly isDone: boolean;
}

/** A search in a project, with the pieces to look up in the index. */
export interface Search {
  readonly projectId: number;
  readonly tokens: readonly SearchToken[];
  readonly pieces: Pieces;
  /** A query for the ids of the errors of a table that match. */
  matching(errors: RawBuilder<unknown>): RawBuilder<unknown>;
}

/** Errors that a search may find. */
export interface Found {
  /** A query for the ids of the errors. */
  readonly ids: RawBuilder<unknown>;
  /**
   * A query for the ids and statuses of the errors, as `error_id` and `status`, each error once, if the index has them.
   */
  readonly statuses?: RawBuilder<unknown>;
  /** The words and filters of the search that all of these errors certainly match. */
  readonly met: readonly (SearchToken | SearchFilter)[];
}

/** The parts of SQL that differ. */
export interface SqlDialect {
  /** The condition that a column contains a text, ignoring the case of ASCII letters. */
  contains(column: string, text: string): RawBuilder<SqlBool>;
  /** The condition that a text matches a pattern with wildcards, with case-sensitive letters. */
  isLike(text: RawBuilder<unknown>, pattern: Pattern): RawBuilder<SqlBool>;
  /** The condition that a column is one of many texts. */
  isOneOf(column: string, texts: readonly string[]): RawBuilder<SqlBool>;
  /** Joins tables in the order in which they are written. */
  readonly joinInOrder: RawBuilder<unknown>;
  /** The hours and counts of a table with these columns, as JSON text. */
  readonly hourList: RawBuilder<string>;
  /**
   * Whether reads return rows in the order of row ids without a sort. PostgreSQL reads partitions in the order of their
   * days.
   */
  readonly sortsByRowId: boolean;
  /** A query of `(project, 0, bytes, 0)` for the stored bytes of payloads by project. */
  readonly storedPayloads: RawBuilder<unknown>;
  /** A query of `(project, -count)` for deleted events still included in error counts. */
  readonly expiredEvents: RawBuilder<unknown>;
  /** ` and <one>.project_id = <other>.project_id` if keys begin with the project; empty if a table has no project. */
  sameProject(one: string, other: string): RawBuilder<unknown>;
  /** The end of a query that locks its rows until the transaction ends. */
  readonly locked: RawBuilder<unknown>;
  /** The name of a type that holds any id. */
  readonly bigInteger: RawBuilder<unknown>;
  /** The hash of a hidden error. No event has this hash, and hidden errors keep their order. */
  readonly hiddenHash: RawBuilder<unknown>;
  /**
   * The errors that a search may find by its pieces, and the errors that are due. `among` is a query for the ids of the
   * only errors to consider.
   */
  errorsWith(search: Search, among?: RawBuilder<unknown>): Found;
  /**
   * Whether the index has all texts in lower case. Counting in the index then takes half as long as among the errors.
   */
  readonly hasIndexedTexts: boolean;
  /**
   * A query for the ids of the errors with a status that a search finds, each once. It is read in the order of the
   * index, so that a query for a few errors reads no more. `share` is the fraction of the project's errors that have
   * the status.
   */
  idsOfStatus(search: Search, status: ErrorStatus, share: number): RawBuilder<unknown>;
  /** The condition that a row of integrated_error is among a few errors of a project, given a query for their ids. */
  isAmong(projectId: number, ids: RawBuilder<unknown>): RawBuilder<SqlBool>;
  /** The condition that a row of sessions belongs to one of a project's releases, given a query for their ids. */
  isOfRelease(projectId: number, ids: RawBuilder<unknown>): RawBuilder<SqlBool>;
  /** The errors of a project with a status that are among many, as a table to read along an index. */
  among(projectId: number, status: RawBuilder<unknown>, ids: RawBuilder<unknown>): RawBuilder<unknown>;
  /** A JSON list of values. */
  jsonArray(values: readonly RawBuilder<unknown>[]): RawBuilder<unknown>;
  /** A JSON list with one list of values per row. */
  jsonOfRows(row: RawBuilder<unknown>): RawBuilder<unknown>;
  /** A column of bytes in hexadecimal digits. */
  hexOf(column: string): RawBuilder<string>;
  /** A table with the given name and the column `value`. */
  valuesOf(numbers: readonly number[], name: string): RawBuilder<unknown>;
}

/** The remembered state of a group. */
export interface Group {
  /** The error of the group. Undefined if the group has no error yet. */
  readonly errorId: number | undefined;
  /** The counter of the group's project. Undefined if the project had no new error yet. */
  readonly counter: NewErrorCounter | undefined;
}

/** The number of a project's recent new errors. */
export interface NewErrorCounter {
  readonly day: number;
  readonly errorCount: number;
  readonly usedUntil: number;
}

/** A term with its condition on a row of integrated_error. */
export interface SearchFilter {
  readonly term: Term;
  readonly condition: RawBuilder<SqlBool>;
  /** The errors that the condition selects, or excludes if the term is negated. Undefined if no index has them. */
  readonly listed?: Listed;
}

/** Queries for errors that use an index. */
export interface Listed {
  /** The ids of the errors as `error_id`, some twice. */
  readonly ids: RawBuilder<unknown>;
  /** The ids and statuses of the errors; see Found. */
  readonly statuses?: RawBuilder<unknown>;
  /** Whether these are exactly the errors that the term names. If not, the condition keeps only some of them. */
  readonly isExact: boolean;
}

/** The end of a range of row ids without an end. */
export const everyRowId = Number.MAX_SAFE_INTEGER;

/** An event that is stored, under the key of its error; see GroupedEvent. The batch has already counted its user. */
export interface StoredEvent extends CountedEvent {
  readonly rowId: number;
  readonly errorKey: string;
  readonly user: "";
  readonly names: "";
}

/** Events that are stored and not counted. */
export interface UncountedEvents {
  readonly rows: readonly EventTable[];
  /** Whether the users of these events are not counted either. */
  readonly withUsers: boolean;
  /**
   * Adds the counts of these events, keyed by row ids of errors. Adds nothing and returns false if one was deleted
   * meanwhile.
   */
  add(counts: Counts): Promise<boolean>;
}

/**
 * The number of events of each error by value of a tag (`integrated_count`) and by user (`integrated_user`). Each event
 * is counted once, some time after it is stored. Deleting a counted event subtracts it.
 */
export interface CountStorage {
  /** Notes events after their transaction. If processes share the database, `countEvents` counts the events instead. */
  note(stored: readonly StoredEvent[]): void;
  /** Writes the noted counts if there are many, to limit the memory for them. */
  keepSmall(): Promise<void>;
  /** Writes the noted counts. */
  settle(): Promise<void>;
  /** Moves the noted events of an error to its row id, within the transaction that takes its hash away. */
  take(error: { readonly projectId: number; readonly hash: string; readonly errorId: number }): void;
  /** The next events for `countEvents`. Undefined if all events are counted or noted. */
  uncounted(): Promise<UncountedEvents | undefined>;
  /** Whether every event of a project is counted. True only after `settle`. */
  isComplete(projectId: number): Promise<boolean>;
}

/** A term that an index looks up: a text in one of its forms, or the value of a column or of a tag. */
export type SearchToken =
  | { readonly of: "text" | "message"; readonly forms: readonly [string, ...string[]] }
  | { readonly of: "level" | "type"; readonly value: string }
  | ({ readonly of: "tag" } & Tag);

export interface Tag {
  readonly key: string;
  readonly value: string;
}

/** The parameters that store sessions. All except `count` are JSON lists of lists. */
export interface SessionParameters {
  /** The number of updates and aggregates. */
  readonly count: number;
  /** An entry per distinct project, release and environment. */
  readonly releases: string;
  /** An entry per update: project, release, environment, session id, hour, user, sequence, times, status, errors. */
  readonly updates: string;
  /**
   * An entry per aggregate: total, project, release, environment, hour, user, errored, crashed, abnormal, receipt. An
   * aggregate with a receipt counts only once. SQLite gets no receipts because it has no queue of several machines.
   */
  readonly aggregates: string;
}

/** Three letters of a text that the index can look up, or two if the text has no more. */
export type Piece = string;

/** The pieces that an error must have, for each form of each word of a search. One form is enough. */
export type Pieces = readonly (readonly (readonly Piece[])[])[];

/** An event that eviction may delete. */
export type OldEvent = Pick<EventTable, "id" | "error_id" | "occurred_at" | "received_at"> & {
  /** The approximate size of the event. An event in a block has a share of that block. */
  readonly bytes: number;
};

/** The operations that each database implements in its own way. */
export interface EvictionStorage {
  /**
   * The oldest events of a project after a row id, up to `limit`, within one window. The next window begins at `place`,
   * which is undefined after the last event of all projects.
   */
  oldestEvents(
    projectId: number,
    after: number,
    limit: number,
  ): Promise<{ readonly events: readonly OldEvent[]; readonly place: number | undefined }>;
  /**
   * Deletes events of one project and day, and subtracts them from every counter. Also deletes errors without events,
   * with their users and tags. Returns false if one of the events was deleted since it was read.
   */
  deleteOldest(projectId: number, events: readonly OldEvent[]): Promise<boolean>;
  /** The errors of a project that may have events of a day or of earlier days. */
  errorsUntil(projectId: number, day: number): Promise<number[]>;
  /** Deletes users and tags of errors that were last seen on a day or earlier, because their events are deleted. */
  deleteLastSeen(projectId: number, errorIds: readonly number[], day: number): Promise<void>;
}
