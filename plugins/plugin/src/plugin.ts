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

/** The contract version of this package. A plugin for another version is refused at startup. */
export const contractVersion = 3;

/** A named part of the product. A function creates it from its options. */
export interface Plugin {
  /** Lower-case words joined by `-`, unique. The first word is the prefix of its tables. */
  readonly name: string;
  /** The contract version that it implements. */
  readonly contract: number;
  readonly entities?: readonly Entity[];
  /** For each database, in order. The names are unique in the product and never change. */
  readonly migrations?: Migrations;
  /** Its columns with values of `Host.secrets`. A rotation of the installation's key encrypts them again. */
  readonly sealedColumns?: readonly SealedColumn[];
  /** How a move copies its tables. Undefined if it has no tables. */
  readonly movable?: Movable;
  /**
   * The data that it keeps of projects in addition to events. Undefined if the data is always small, whatever callers
   * send.
   */
  readonly keeps?: KeptBesideEvents;
  /**
   * Deletes the next slice of its data of a permanently deleted project, small enough that storing waits only some tens
   * of milliseconds. Returns true when nothing is left. Undefined if foreign keys delete the rows with their project.
   */
  deleteProject?(host: Host, projectId: number): Promise<boolean>;
  /**
   * Creates the handler for transitions of errors, in all projects and both backends. Only one process of the
   * installation runs the handler at a time.
   */
  readonly errorTransitions?: (host: Host) => HandleErrorTransitions;
  /** The kinds of notifications that it announces with `Host.notify`. */
  readonly notifies?: readonly NotificationKind[];
  /** Delivers the announcements of all plugins to people and channels. Only one plugin may have it. */
  readonly takeNotices?: TakeNotices;
  /**
   * Reads the entries that the plugin adds to the activity of an error, in any order: at most 1,000. The caller may
   * read the error.
   */
  readonly activity?: (host: Host, error: ErrorOfProject) => Promise<readonly PluginActivity[]>;
  readonly backend?: ErrorBackend;
  /** Changes how an event of the integrated backend is shown, such as its frames. The stored event stays unchanged. */
  readonly showEvent?: ShowEvent;
  /**
   * Changes the heads of events before they are grouped and stored, for example maps frames of minified code to their
   * sources. Only one plugin may have it.
   */
  readonly readHeads?: ReadHeads;
  readonly queue?: IngestQueue;
  readonly deprecations?: Deprecations;
  /** The gRPC services it serves, each made by `serve`. */
  readonly services?: readonly ServedService[];
  /** The methods that it calls as itself, with `Host.invoke`. */
  readonly calls?: readonly DescMethodUnary[];
  /** The operations it adds to the REST API, each made by `operation`. */
  readonly rest?: readonly RestOperation[];
  /** The HTTP API of another product that it serves on the public address. */
  readonly api?: HttpApi;
  /** Begins its work. Plugins start in list order and stop in reverse. */
  start?(host: Host): Promise<void>;
  /** Ends its work. Accepted items are finished first. */
  stop?(): Promise<void>;
}

/**
 * Returns an event in the form to be shown. `signal` is aborted when the caller no longer waits; the work then ends
 * with `callerLeft()`.
 */
export type ShowEvent = (event: Event, signal?: AbortSignal) => Promise<Event>;

export type Migrations = Readonly<Record<DatabaseKind, readonly MigrationClass[]>>;

/** An entity in the form that MikroORM takes. */
export type Entity = NonNullable<Options["entities"]>[number];

export type MigrationClass = new (...parameters: ConstructorParameters<typeof Migration>) => Migration;
