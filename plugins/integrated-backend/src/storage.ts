import type { Host } from "@faultline/plugin";
import type { ErrorStatus, ListEventsRequest } from "@faultline/proto";
import type { Kysely, RawBuilder } from "kysely";
import type { BatchParameters, WriterMemory } from "./batch.ts";
import type { EvictionStorage } from "./evict-events.ts";
import type { SessionParameters } from "./sessions/store-sessions.ts";
import type { EventTable, Tables } from "./tables.ts";

/**
 * The tables on one of the databases: what SQLite and PostgreSQL do each in their own way. Queries that both understand
 * lie beside this file and take a Storage, for the few words that differ.
 */
export interface Storage {
  readonly read: Kysely<Tables>;
  readonly write: Kysely<Tables>;
  readonly words: Words;
  readonly memory: WriterMemory;
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

  /**
   * Deletes what is older than the retention, oldest first, and sessions as soon as they cannot change any more. Answers
   * how many rows were deleted. What the signal interrupts is done by the next run.
   */
  deleteExpired(now: number, signal: AbortSignal): Promise<number>;
  readonly eviction: EvictionStorage;
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

/** Words of SQL that differ. */
export interface Words {
  /** Compares texts by a pattern; ASCII letters match in either case. */
  readonly like: "like" | "ilike";
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
  /** A table of that name with the column `value`. */
  valuesOf(numbers: readonly number[], name: string): RawBuilder<unknown>;
}
