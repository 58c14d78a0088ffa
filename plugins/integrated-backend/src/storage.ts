import type { Actor, Host } from "@faultline/plugin";
import type { Pattern, Term } from "@faultline/plugin/search";
import type { ErrorStatus, ListEventsRequest } from "@faultline/proto";
import type { Kysely, RawBuilder, SqlBool } from "kysely";
import type { WriterCache, BatchParameters } from "./storing/batch-parameters.ts";
import type { OfDeletion, DueError, EventTable, Tables } from "./tables.ts";
import type { CountedEvent, Counts } from "./counts/counts.ts";

/**
 * The operations that SQLite and PostgreSQL implement each in its own way. Queries that both understand lie beside this
 * file and take a Storage for the few words that differ.
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

  /** Creates what storing needs, before the first event. */
  prepare(now: number): Promise<void>;
  /** Begins the background work that only this database needs. */
  schedule(host: Host): void;

  /** Stores a batch atomically, also within a transaction; false when one of its events is already stored. */
  storeBatch(database: Kysely<Tables>, batch: BatchParameters): Promise<boolean>;
  /** The places in a JSON list of project and event id of the events that are stored. */
  storedAmong(database: Kysely<Tables>, events: string): Promise<number[]>;
  /**
   * The state of groups, in their order: the error of each, if it is one already, and how many errors its project
   * created lately.
   */
  groups(groups: readonly (readonly [projectId: number, hash: string])[]): Promise<readonly Group[]>;
  /** Stores sessions atomically. */
  storeSessions(database: Kysely<Tables>, sessions: SessionParameters): Promise<void>;
  /**
   * Stores the new entries of a JSON list of FeedbackTable's columns after the id, ids in hexadecimal digits and no entry
   * twice, up to `max` entries per event. Returns the places in the list of the entries beyond that.
   */
  storeFeedback(database: Kysely<Tables>, feedback: string, max: number): Promise<number[]>;

  /** The next events of an error of a project, newest first; undefined: there is no such error. */
  nextEvents(page: EventPage): Promise<EventTable[] | undefined>;
  /** The JSON of an event as it was sent. */
  eventJson(event: Pick<EventTable, "project_id" | "id">): Promise<Buffer>;
  /**
   * The JSON of some events of a project, each with its row id, from the newest block to the oldest. Events that are
   * deleted meanwhile are left out.
   */
  eventJsons(
    database: Kysely<Tables>,
    events: readonly Pick<EventTable, "project_id" | "id">[],
  ): AsyncIterable<readonly [rowId: number, json: Buffer]>;
  /** Sets the statuses of errors of a project, locking them in the order in which batches do, and signs the transitions. */
  setStatuses(transaction: Kysely<Tables>, change: StatusChange): Promise<void>;

  /** Indexes the texts of errors for searches, and removes deleted errors from the index: then none of them is due. */
  indexErrors(errors: readonly DueError[]): Promise<void>;

  /**
   * Deletes rows older than the retention, oldest first, and sessions as soon as they can no longer change. Returns the
   * number of deleted rows. The next run continues after an abort.
   */
  deleteExpired(now: number, signal: AbortSignal): Promise<number>;
  readonly eviction: EvictionStorage;
  /** Erases some events or errors of a deletion for good; storing waits only some milliseconds for it. */
  eraseNext(of: OfDeletion): Promise<Erased>;
  /** Makes the space of erased rows usable again. */
  giveSpaceBack(signal: AbortSignal): Promise<void>;
  /** See ErrorBackend.deleteProject. Nobody reads the project anymore, so its counters are not updated. */
  deleteProject(projectId: number): Promise<boolean>;
}

/** The beginning and the size of a page of events. */
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
  /** Whether none of the deletion's errors is left. */
  readonly isDone: boolean;
}

/** A search in a project, with the pieces that its index looks up. */
export interface Search {
  readonly projectId: number;
  readonly tokens: readonly SearchToken[];
  readonly pieces: Pieces;
  /** A query for the ids of the errors of a table that match. */
  matching(errors: RawBuilder<unknown>): RawBuilder<unknown>;
}

/** Errors that a search may find. */
export interface Found {
  /** A query for their ids. */
  readonly ids: RawBuilder<unknown>;
  /** A query for their ids and statuses, `error_id` and `status`, each error once, where the index has them. */
  readonly statuses?: RawBuilder<unknown>;
  /** The words and filters of the search that all of them certainly match. */
  readonly met: readonly (SearchToken | SearchFilter)[];
}

/** The parts of SQL that differ. */
export interface SqlDialect {
  /** The condition that a column contains a text; the case of ASCII letters is ignored. */
  contains(column: string, text: string): RawBuilder<SqlBool>;
  /** The condition that a text matches a pattern with wildcards, by the exact letters. */
  isLike(text: RawBuilder<unknown>, pattern: Pattern): RawBuilder<SqlBool>;
  /** The condition that a column is one of many texts. */
  isOneOf(column: string, texts: readonly string[]): RawBuilder<SqlBool>;
  /** Joins tables in the order in which they are written. */
  readonly joinInOrder: RawBuilder<unknown>;
  /** Hours and counts of a table with such columns, as JSON text. */
  readonly hourList: RawBuilder<string>;
  /**
   * Whether reads are in the order of row ids without a sort. PostgreSQL reads partitions in the order of their days.
   */
  readonly sortsByRowId: boolean;
  /** The stored bytes of payloads by project: a query of project, 0, bytes, 0. */
  readonly storedPayloads: RawBuilder<unknown>;
  /** Deleted events that their errors still count: a query of project and minus their number. */
  readonly expiredEvents: RawBuilder<unknown>;
  /** ` and <one>.project_id = <other>.project_id` where keys begin with the project; empty where one of them has none. */
  sameProject(one: string, other: string): RawBuilder<unknown>;
  /** The end of a query that locks its rows until the transaction ends. */
  readonly locked: RawBuilder<unknown>;
  /** The name of a type that holds any id. */
  readonly bigInteger: RawBuilder<unknown>;
  /** The hash of a hidden error: no event has it, and hidden errors keep their order. */
  readonly hiddenHash: RawBuilder<unknown>;
  /**
   * The errors that a search may find by its pieces, and those that are due. `among`: a query for the ids to which all
   * are limited.
   */
  errorsWith(search: Search, among?: RawBuilder<unknown>): Found;
  /** Whether the index has all texts in lower case: counting there takes half as long as among the errors. */
  readonly hasIndexedTexts: boolean;
  /**
   * A query for the ids of the errors with a status that a search finds, each once, which is read in the order of the
   * index: a query that needs some of them reads no more. `share`: the fraction of the project's errors with the
   * status.
   */
  idsOfStatus(search: Search, status: ErrorStatus, share: number): RawBuilder<unknown>;
  /** The condition that a row of integrated_error is one of a few of a project, by a query for their ids. */
  isAmong(projectId: number, ids: RawBuilder<unknown>): RawBuilder<SqlBool>;
  /** The condition that a row of sessions belongs to one of a project's releases, by a query for their ids. */
  isOfRelease(projectId: number, ids: RawBuilder<unknown>): RawBuilder<SqlBool>;
  /** The errors of a project with a status that are among many, as a table that is read along an index. */
  among(projectId: number, status: RawBuilder<unknown>, ids: RawBuilder<unknown>): RawBuilder<unknown>;
  /** A JSON list of values. */
  jsonArray(values: readonly RawBuilder<unknown>[]): RawBuilder<unknown>;
  /** A JSON list with one such list per row. */
  jsonOfRows(row: RawBuilder<unknown>): RawBuilder<unknown>;
  /** A column of bytes, in hexadecimal digits. */
  hexOf(column: string): RawBuilder<string>;
  /** A table of that name with the column `value`. */
  valuesOf(numbers: readonly number[], name: string): RawBuilder<unknown>;
}

/** The remembered state of a group. */
export interface Group {
  /** The error. Undefined: its events made none yet. */
  readonly errorId: number | undefined;
  /** Of its project. Undefined: it had no new error yet. */
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
  /** The errors that its condition asks for, or excludes if the term is negated. Absent: no index has them. */
  readonly listed?: Listed;
}

/** Queries for errors, by an index. */
export interface Listed {
  /** Their ids as `error_id`, some twice. */
  readonly ids: RawBuilder<unknown>;
  /** Their ids and statuses, as in Found. */
  readonly statuses?: RawBuilder<unknown>;
  /** Whether they are just the errors with what the term names; otherwise its condition leaves some of them. */
  readonly isExact: boolean;
}

/** The end of a range of row ids that has none. */
export const everyRowId = Number.MAX_SAFE_INTEGER;

/** An event that is stored, under the key of its error; see GroupedEvent. The batch has counted its user. */
export interface StoredEvent extends CountedEvent {
  readonly rowId: number;
  readonly errorKey: string;
  readonly user: "";
  readonly names: "";
}

/** Events that are stored and not counted. */
export interface UncountedEvents {
  readonly rows: readonly EventTable[];
  /** Whether their users are not counted either. */
  readonly withUsers: boolean;
  /** Adds their counts, keyed by row ids of errors. False when one of them was deleted meanwhile: nothing is added then. */
  add(counts: Counts): Promise<boolean>;
}

/**
 * The number of events of each error by value of a tag (`integrated_count`) and by user (`integrated_user`). Each event is counted once, some time
 * after it is stored; deleting a counted event subtracts it.
 */
export interface CountStorage {
  /** Notes events after their transaction. A database whose processes share the counts counts them in `countEvents`. */
  note(stored: readonly StoredEvent[]): void;
  /** Writes what was noted when that is much, so that its memory has a bound. */
  keepSmall(): Promise<void>;
  /** Writes what was noted. */
  settle(): Promise<void>;
  /** Gives noted events of an error its row id, within the transaction that takes its hash away. */
  take(error: { readonly projectId: number; readonly hash: string; readonly errorId: number }): void;
  /** The next events that `countEvents` counts; undefined: all are counted, or noted. */
  uncounted(): Promise<UncountedEvents | undefined>;
  /** Whether every event of a project is counted, after `settle`. */
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

/** The parameters that store sessions. All but their number are JSON lists of lists. */
export interface SessionParameters {
  /** Updates and aggregates. */
  readonly count: number;
  /** Project, release, environment: each once. */
  readonly releases: string;
  /** An entry per update: project, release, environment, session id, hour, user, sequence, times, status, errors. */
  readonly updates: string;
  /**
   * An entry per aggregate: total, project, release, environment, hour, user, errored, crashed, abnormal, receipt. An
   * aggregate with a receipt counts once; SQLite, which has no queue of several machines, gets no receipts.
   */
  readonly aggregates: string;
}

/** Three letters of a text that the index can look up, or two if the text has no more. */
export type Piece = string;

/** For each word of a search, for each of its forms, the pieces that an error must have; one form is enough. */
export type Pieces = readonly (readonly (readonly Piece[])[])[];

/** An event that may be evicted. */
export type OldEvent = Pick<EventTable, "id" | "error_id" | "occurred_at" | "received_at"> & {
  /** Its approximate size: an event in a block has a share of that block. */
  readonly bytes: number;
};

/** The operations that each database implements in its own way. */
export interface EvictionStorage {
  /**
   * The oldest events of a project after a row id, up to `limit`, within one window; the next window begins at `place`,
   * which is undefined after the last event of all.
   */
  oldestEvents(
    projectId: number,
    after: number,
    limit: number,
  ): Promise<{ readonly events: readonly OldEvent[]; readonly place: number | undefined }>;
  /**
   * Deletes events, all of one project and day, and subtracts them from every counter; also deletes errors without
   * events, with their users and tags. False when one of the events was deleted since it was read.
   */
  deleteOldest(projectId: number, events: readonly OldEvent[]): Promise<boolean>;
  /** The errors of a project that may have events of a day or of earlier ones. */
  errorsUntil(projectId: number, day: number): Promise<number[]>;
  /** Deletes users and tags of errors that were last seen on a day or earlier, as their events are gone. */
  deleteLastSeen(projectId: number, errorIds: readonly number[], day: number): Promise<void>;
}
