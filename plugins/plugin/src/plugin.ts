import type { DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { Options } from "@mikro-orm/core";
import type { Migration } from "@mikro-orm/migrations";
import type { Kysely } from "kysely";
import type { Announcements } from "./announcements.ts";
import type { Access, Core } from "./core.ts";
import type { Deprecations } from "./deprecations.ts";
import type { ErrorBackend } from "./error-backend.ts";
import type { ErrorChanges, ListensToErrors } from "./error-changes.ts";
import type { EventDoor } from "./event-door.ts";
import type { HttpApi } from "./http-api.ts";
import type { IngestQueue } from "./ingest-queue.ts";
import type { Metrics } from "./metrics.ts";
import type { Movable } from "./move.ts";
import type { Outbound } from "./outbound.ts";
import type { RestOperation } from "./rest/operation.ts";
import type { ServedService } from "./served-service.ts";

/** The contract this package describes; a plugin made for another one is refused at boot. */
export const contractVersion = 2;

/** A named part of the product. Made by a function of its options. */
export interface Plugin {
  /** Lower-case words joined by `-`, unique. Its tables are prefixed by the first word. */
  readonly name: string;
  /** The contract it was made for. */
  readonly contract: number;
  readonly entities?: readonly Entity[];
  /** For each database, in order; the names are unique in the product and never change. */
  readonly migrations?: Migrations;
  /** How a move copies its tables. Absent: it has none. */
  readonly movable?: Movable;
  /** Takes changes of errors of all projects and both backends. */
  readonly errorChanges?: ListensToErrors;
  readonly backend?: ErrorBackend;
  readonly queue?: IngestQueue;
  readonly deprecations?: Deprecations;
  /** The gRPC services it serves, each by `serve`. */
  readonly services?: readonly ServedService[];
  /** The methods that it calls by itself, with `Host.invoke`. */
  readonly calls?: readonly DescMethodUnary[];
  /** The operations it adds to the REST API, each by `operation`. */
  readonly rest?: readonly RestOperation[];
  /** The HTTP API of another product that it serves on the public address. */
  readonly api?: HttpApi;
  /** Begins its work. Plugins start in the order of the list and stop in reverse. */
  start?(host: Host): Promise<void>;
  /** Ends its work; what was accepted is finished first. */
  stop?(): Promise<void>;
}

/** The databases on which the product stores what it keeps. */
export type DatabaseKind = "sqlite" | "postgresql";

export type Migrations = Readonly<Record<DatabaseKind, readonly MigrationClass[]>>;

/** An entity as MikroORM takes it. */
export type Entity = NonNullable<Options["entities"]>[number];

export type MigrationClass = new (...parameters: ConstructorParameters<typeof Migration>) => Migration;

/** Everything the host gives a plugin; in particular no environment variables. */
export interface Host {
  readonly core: Core;
  readonly access: Access;
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
  readonly database: Database;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** The clock for deleting by age: never ahead of `clock`, and it follows jumps late. */
  readonly deletionClock: Clock;
  readonly scheduler: Scheduler;
  readonly outbound: Outbound;
  /** Whether an event would be stored now; false during start and shutdown and while the database refuses writes. */
  isReady(): Promise<boolean>;
}

/** The database, for a plugin's own tables. */
export interface Database {
  readonly kind: DatabaseKind;
  /** Between the processes that share it. */
  readonly announcements: Announcements;
  /** On SQLite it waits for the one writer, and transactions on it are immediate. */
  write<Tables>(): Kysely<Tables>;
  /** Does not wait for writes; sees what is committed. */
  read<Tables>(): Kysely<Tables>;
  /** As `read`, for reads that may take seconds: on SQLite they have connections of their own, two. */
  readExpensively<Tables>(): Kysely<Tables>;
}

/** The current time in milliseconds since 1970, UTC. Moved by tests. */
export interface Clock {
  now(): number;
}

/** Runs work again and again until the product stops. */
export interface Scheduler {
  /**
   * Runs `task` now, in the background, and then each `intervalMs`, never twice at once; a failure is logged, at most each
   * ten minutes, and the next run comes all the same. The product waits for the task when it stops, and after two seconds
   * aborts `signal`: a task of many steps looks at it between them and leaves the rest to the next start. What is done for
   * the whole installation is `alone`: while one process does it, the others leave it out.
   */
  every(intervalMs: number, name: string, task: Task, options?: { readonly alone?: boolean }): void;
}

/** Work that gives up between its steps when the signal is aborted. */
export type Task = (signal: AbortSignal) => Promise<void>;

/** A log whose lines carry the plugin's name. Never give it a secret. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
