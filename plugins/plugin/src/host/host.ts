import type { DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { Kysely } from "kysely";
import type { Announcements } from "./announcements.ts";
import type { Access, Core } from "../core.ts";
import type { Deprecations } from "../deprecations.ts";
import type { ErrorChanges, ErrorOfProject, ErrorTransition, PluginActivity } from "../errors/error-changes.ts";
import type { EventDoor } from "../ingest/event-door.ts";
import type { Metrics } from "./metrics.ts";
import type { DatabaseKind } from "../move.ts";
import type { ReadHeads } from "../ingest/ingest-queue.ts";
import type { NotificationKind, Notify } from "../notifications.ts";
import type { Outbound } from "./outbound.ts";
import type { Readers } from "./readers.ts";
import type { Secrets } from "./secrets.ts";
import type { StoredErrors } from "../errors/stored-errors.ts";

/** Everything the host gives a plugin. Environment variables are not included. */
export interface Host {
  readonly core: Core;
  readonly access: Access;
  readonly readers: Readers;
  /**
   * Calls one of the plugin's `calls` as the plugin itself, not for a person, in any project. The audit log names the
   * plugin. Throws FORBIDDEN for any other method.
   */
  invoke<M extends DescMethodUnary>(
    method: M,
    request: MessageInitShape<M["input"]>,
    signal?: AbortSignal,
  ): Promise<MessageShape<M["output"]>>;
  readonly deprecations: Deprecations;
  readonly events: EventDoor;
  readonly errorChanges: ErrorChanges;
  /**
   * The latest 100 transitions of an error that the plugin's `errorTransitions` has not taken yet, the oldest first.
   * They happened within about the last second.
   */
  pendingTransitions(error: ErrorOfProject): Promise<readonly ErrorTransition[]>;
  /** The kinds of notifications of all plugins, each once. */
  readonly notificationKinds: readonly NotificationKind[];
  /**
   * Announces notices of the plugin's own kinds (`Plugin.notifies`) to people and channels. Call it in the transaction
   * that writes the subject of the notices: then each is delivered exactly once if the transaction commits, and never
   * if it does not. Throws for another kind, beyond `noticeLimits`, and outside a transaction.
   */
  readonly notify: Notify;
  /** The entries that all plugins add to the activity of an error. See Plugin.activity. */
  pluginActivity(error: ErrorOfProject): Promise<readonly PluginActivity[]>;
  /** See ErrorBackend.regroup. For a plugin after `readHeads` begins to return other heads for a project's events. */
  regroup(projectId: number, read: ReadHeads, signal: AbortSignal): Promise<void>;
  /**
   * The errors that this service stores. A plugin may change them only in projects with a backend that has the
   * capability.
   */
  readonly storedErrors: StoredErrors;
  readonly statusChanges: StatusChangeLimit;
  /**
   * See Plugin.readHeads. Returns the heads unchanged if no plugin has it. For events that are grouped after they were
   * stored.
   */
  readonly readHeads: ReadHeads;
  readonly database: Database;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** The clock for deletion by age. It is never ahead of `clock`, and follows jumps with a delay. */
  readonly deletionClock: Clock;
  readonly scheduler: Scheduler;
  readonly outbound: Outbound;
  readonly secrets: Secrets;
  /**
   * Admits bytes that are stored in addition to events: uploads, records, bulk writes. Call it before they are written,
   * with their size as far as it is known. Throws STORAGE_UNAVAILABLE if the disk is getting full, before any event is
   * refused; and QUOTA_REACHED if the project would exceed its limit of bytes kept, and data other than events would
   * take more than half of the limit. `projectId` is undefined if the bytes belong to no project yet.
   */
  admitStoring(bytes: number, projectId?: number): void;
  /** Whether an event would be stored now. False during start and shutdown, and while the database refuses writes. */
  isReady(): Promise<boolean>;
}

/** Limits the statuses that a person changes per minute, across all projects. */
export interface StatusChangeLimit {
  /** Makes changes, or refuses them with RATE_LIMITED. Failed changes do not count. */
  within<T>(changes: { readonly userId: number; readonly count: number }, make: () => Promise<T>): Promise<T>;
}

/** A log. Its lines carry the plugin's name. Never log a secret. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Work that stops between its steps when the signal is aborted. */
export type Task = (signal: AbortSignal) => Promise<void>;

/** Runs work repeatedly until the product stops. */
export interface Scheduler {
  /**
   * Runs `task` in the background now and then every `intervalMs`, without overlap. Failures are logged at most every
   * ten minutes, and do not stop later runs. On shutdown the product waits for the task, and aborts `signal` after two
   * seconds: a task of many steps checks the signal between them and leaves the rest to the next start. Work for the
   * whole installation is `alone`: while one process does it, the others skip it.
   */
  every(intervalMs: number, name: string, task: Task, options?: { readonly alone?: boolean }): void;
}

/** The current time in milliseconds since 1970, UTC. Tests can move it. */
export interface Clock {
  now(): number;
}

/** The database, for a plugin's own tables. */
export interface Database {
  readonly kind: DatabaseKind;
  /** Messages between the processes that share it. */
  readonly announcements: Announcements;
  /** Waits for the only writer on SQLite, where its transactions are immediate. */
  write<Tables>(): Kysely<Tables>;
  /**
   * Like `write`, for batches of events: on SQLite a batch waits for at most one other transaction, and not for the
   * whole queue.
   */
  writeEvents<Tables>(): Kysely<Tables>;
  /** Does not wait for writes; sees committed data. */
  read<Tables>(): Kysely<Tables>;
  /** Like `read`, for reads that may take seconds. On SQLite they use two separate connections. */
  readExpensively<Tables>(): Kysely<Tables>;
}
