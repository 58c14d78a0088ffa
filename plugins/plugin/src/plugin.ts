import type { DescMethodUnary } from "@bufbuild/protobuf";
import type { Event } from "@faultline/proto";
import type { Options } from "@mikro-orm/core";
import type { Migration } from "@mikro-orm/migrations";
import type { Deprecations } from "./deprecations.ts";
import type { ErrorBackend } from "./errors/error-backend.ts";
import type { ErrorOfProject, HandleErrorTransitions, PluginActivity } from "./errors/error-changes.ts";
import type { HttpApi } from "./http-api.ts";
import type { Host } from "./host/host.ts";
import type { SealedColumn } from "./host/secrets.ts";
import type { IngestQueue, ReadHeads } from "./ingest/ingest-queue.ts";
import type { KeptBesideEvents } from "./kept-bytes.ts";
import type { DatabaseKind, Movable } from "./move.ts";
import type { NotificationKind, TakeNotices } from "./notifications.ts";
import type { RestOperation } from "./rest/operation.ts";
import type { ServedService } from "./served-service.ts";

/** The contract that this package describes; the boot refuses a plugin made for another one. */
export const contractVersion = 3;

/** A named part of the product, created by a function of its options. */
export interface Plugin {
  /** Lower-case words joined by `-`, unique. Its tables are prefixed by the first word. */
  readonly name: string;
  /** The contract version that it implements. */
  readonly contract: number;
  readonly entities?: readonly Entity[];
  /** For each database, in order; the names are unique in the product and never change. */
  readonly migrations?: Migrations;
  /** Its columns with values of `Host.secrets`: a rotation of the installation's key encrypts them again. */
  readonly sealedColumns?: readonly SealedColumn[];
  /** How a move copies its tables. Absent: the plugin has none. */
  readonly movable?: Movable;
  /** What it keeps of projects beside their events. Absent: what it keeps is few and small, whatever callers send. */
  readonly keeps?: KeptBesideEvents;
  /**
   * Deletes the next slice of what it keeps of a project that is permanently deleted, small enough that storing waits only some
   * tens of milliseconds; true when nothing is left. Undefined if rows of projects disappear with them, by foreign keys.
   */
  deleteProject?(host: Host, projectId: number): Promise<boolean>;
  /**
   * Creates the handler for transitions of errors, of all projects and both backends. The handler runs in one process
   * of the installation at a time.
   */
  readonly errorTransitions?: (host: Host) => HandleErrorTransitions;
  /** The kinds of notifications that it announces with `Host.notify`. */
  readonly notifies?: readonly NotificationKind[];
  /** Delivers what all plugins announce to people and channels. One plugin only. */
  readonly takeNotices?: TakeNotices;
  /**
   * Reads what the plugin adds to the activity of an error, in any order: at most 1,000 entries. The caller may read the
   * error.
   */
  readonly activity?: (host: Host, error: ErrorOfProject) => Promise<readonly PluginActivity[]>;
  readonly backend?: ErrorBackend;
  /** Changes how an event of the integrated backend is shown, such as its frames; what is stored stays as it was sent. */
  readonly showEvent?: ShowEvent;
  /**
   * Changes the heads of events before they are grouped and stored, such as frames of minified code to those of its sources. One
   * plugin only.
   */
  readonly readHeads?: ReadHeads;
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
  /** Ends its work; accepted items are finished first. */
  stop?(): Promise<void>;
}

/** Returns an event as it is to be shown. `signal` is aborted when the caller no longer waits: the work then ends with `callerLeft()`. */
export type ShowEvent = (event: Event, signal?: AbortSignal) => Promise<Event>;

export type Migrations = Readonly<Record<DatabaseKind, readonly MigrationClass[]>>;

/** An entity as MikroORM takes it. */
export type Entity = NonNullable<Options["entities"]>[number];

export type MigrationClass = new (...parameters: ConstructorParameters<typeof Migration>) => Migration;
