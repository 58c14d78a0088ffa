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

/** Everything the host gives a plugin; in particular no environment variables. */
export interface Host {
  readonly core: Core;
  readonly access: Access;
  readonly readers: Readers;
  /**
   * Calls a method as the plugin itself, for no person: one of its `calls`, in any project. The audit log names the plugin.
   * Throws FORBIDDEN for any other method.
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
   * The latest 100 transitions of an error that the plugin's `errorTransitions` has not taken yet, the oldest first: those
   * of about the last second.
   */
  pendingTransitions(error: ErrorOfProject): Promise<readonly ErrorTransition[]>;
  /** The kinds of notifications of all plugins, each once. */
  readonly notificationKinds: readonly NotificationKind[];
  /**
   * Announces notices of the plugin's own kinds (`Plugin.notifies`) to people and channels. Call it in the transaction that writes
   * what they are about: then each is delivered exactly once if the transaction commits, and never if it does not. Throws for another
   * kind, beyond `noticeLimits`, and outside a transaction.
   */
  readonly notify: Notify;
  /** What all plugins add to the activity of an error. See Plugin.activity. */
  pluginActivity(error: ErrorOfProject): Promise<readonly PluginActivity[]>;
  /** See ErrorBackend.regroup: for a plugin whose `readHeads` now returns other heads for a project's events. */
  regroup(projectId: number, read: ReadHeads, signal: AbortSignal): Promise<void>;
  /** The errors that this service stores. A plugin changes them only for projects whose backend has the capability to. */
  readonly storedErrors: StoredErrors;
  readonly statusChanges: StatusChangeLimit;
  /** See Plugin.readHeads; where no plugin has it, the heads as they are. For events that are grouped after they were stored. */
  readonly readHeads: ReadHeads;
  readonly database: Database;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** The clock for deleting by age: never ahead of `clock`, and it follows jumps late. */
  readonly deletionClock: Clock;
  readonly scheduler: Scheduler;
  readonly outbound: Outbound;
  readonly secrets: Secrets;
  /**
   * Admits bytes that are stored beside events: uploads, records, bulk writes. Call it before they are written, with their size as
   * far as it is known. Throws STORAGE_UNAVAILABLE on a disk that gets full, before any event is refused there; and QUOTA_REACHED where
   * the project would keep more than it may, more than half of it beside events. `projectId` absent: they are of no project yet.
   */
  admitStoring(bytes: number, projectId?: number): void;
  /** Whether an event would be stored now; false during start and shutdown and while the database refuses writes. */
  isReady(): Promise<boolean>;
}

/** Bounds how many statuses a person changes in a minute, in all projects together. */
export interface StatusChangeLimit {
  /** Makes changes, or refuses them with RATE_LIMITED. Changes that fail do not count. */
  within<T>(changes: { readonly userId: number; readonly count: number }, make: () => Promise<T>): Promise<T>;
}

/** A log whose lines carry the plugin's name. Never give it a secret. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Work that gives up between its steps when the signal is aborted. */
export type Task = (signal: AbortSignal) => Promise<void>;

/** Runs work repeatedly until the product stops. */
export interface Scheduler {
  /**
   * Runs `task` now, in the background, and then each `intervalMs`, never twice at once; a failure is logged, at most
   * each ten minutes, and the next run comes all the same. The product waits for the task when it stops, and after two
   * seconds aborts `signal`: a task of many steps looks at it between them and leaves the rest to the next start. Work
   * for the whole installation is `alone`: while one process does it, the others skip it.
   */
  every(intervalMs: number, name: string, task: Task, options?: { readonly alone?: boolean }): void;
}

/** The current time in milliseconds since 1970, UTC. Moved by tests. */
export interface Clock {
  now(): number;
}

/** The database, for a plugin's own tables. */
export interface Database {
  readonly kind: DatabaseKind;
  /** Messages between the processes that share it. */
  readonly announcements: Announcements;
  /** On SQLite it waits for the one writer, and transactions on it are immediate. */
  write<Tables>(): Kysely<Tables>;
  /** As `write`, for batches of events: on SQLite they wait for one other transaction at most, and not for all that asked before. */
  writeEvents<Tables>(): Kysely<Tables>;
  /** Does not wait for writes; sees what is committed. */
  read<Tables>(): Kysely<Tables>;
  /** As `read`, for reads that may take seconds: on SQLite they have connections of their own, two. */
  readExpensively<Tables>(): Kysely<Tables>;
}
