import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  Backend,
  CapabilitiesSchema,
  DeletionService,
  ErrorEvent,
  ErrorSchema,
  ErrorService,
  ExplainGroupingRequest,
  ExplainGroupingResponseSchema,
  ListExternalProjectsResponseSchema,
  ReleaseService,
} from "@faultline/proto";
import type { Handlers } from "../core.ts";
import type { Intake, ReadHeads } from "../ingest/ingest-queue.ts";
import type { StoredErrors } from "./stored-errors.ts";

/** The capabilities of a project, as a plain object. */
export type Capabilities = Exclude<MessageInitShape<typeof CapabilitiesSchema>, { $typeName: string }>;

/** The context of a call to a backend. The core has already checked the caller's right and the project. */
export interface BackendCall {
  /** The calling user, so that a backend can keep one user from delaying others. Undefined for the service itself. */
  readonly userId?: number | undefined;
  /** The user's name, for records. Undefined for the service itself. */
  readonly username?: string | undefined;
  /** Aborted when the caller no longer waits. */
  readonly signal?: AbortSignal | undefined;
  /** Where the project's errors are. Only for projects with the external backend. */
  readonly link?: ExternalLink | undefined;
}

/** An external system. */
export interface ExternalTarget {
  /** Scheme and host, with an optional base path and without a trailing `/`. */
  readonly apiUrl: string;
  readonly token: string;
}

/** The external project that a project is linked to. */
export interface ExternalLink extends ExternalTarget {
  readonly project: {
    /** Decimal digits. Empty until it is known. */
    readonly id: string;
    readonly slug: string;
    readonly organizationSlug: string;
  };
  /** The revision of the settings. Cached data of the external system is valid for this revision only. */
  readonly revision: number;
}

/** The methods of services that a backend may have, in the form in which the core calls them. */
type Methods = Omit<Handlers<typeof ErrorService, BackendCall>, AnsweredByCore | "explainGrouping"> &
  Handlers<typeof ReleaseService, BackendCall>;

/** The methods that the core answers with other methods of the backend. */
type AnsweredByCore = "listAllErrors" | "getErrorProject" | "watchErrors";

/** The methods that every backend has. */
type Needed =
  "listErrors" | "getError" | "updateErrors" | "listEvents" | "getEvent" | "getErrorStats" | "getErrorBreakdown";

/**
 * A system that holds errors. Every method takes the request message of ErrorService or ReleaseService and returns its
 * response, so that the response does not show which backend made it (specification 1.3). Refusals are ServiceErrors.
 *
 * A backend may lack the other methods of these services: the core refuses such a call with the reason of the
 * capability that the method names in its proto file, lists no search values without `listSearchValues`, and reads
 * errors individually without `getErrors`.
 */
export interface ErrorBackend extends Pick<Methods, Needed>, Partial<Omit<Methods, Needed>> {
  readonly kind: Backend;
  /** The capabilities of a project with this backend. A disabled capability gives the reason in words. */
  readonly capabilities: Capabilities;
  /** Explains why events are in their errors. The core returns the answer unfiltered. */
  explainGrouping?(
    request: ExplainGroupingRequest,
    call: BackendCall & GroupingEyes,
  ): Promise<MessageInitShape<typeof ExplainGroupingResponseSchema>>;
  /**
   * Reads changed errors by the keys under which the backend published them (`Host.errorChanges`), at most 100. Deleted
   * errors are left out. Only backends that publish all changes have it; the capability `watch` of other backends gives
   * the reason.
   */
  changedErrors?(request: ChangedErrorsRequest, call: BackendCall): Promise<MessageInitShape<typeof ErrorSchema>[]>;
  /**
   * Stores arrivals from any number of projects in one transaction; resolves when they are on disk and readable.
   * Idempotent by project and event id, and by project and session id, also within the batch. Only backends that store
   * events have it.
   */
  storeBatch?(intake: Intake): Promise<void>;
  /**
   * Counts an event that spike protection did not store, for the error it would belong to (`Error.sampled_out_count`),
   * grouped by the head that `read` returns. Costs some microseconds. Only backends that store events have it.
   */
  sampledOut?(event: ErrorEvent, read: ReadHeads | undefined): void;
  /**
   * Stores one item of each kind and undoes it in the same transaction; fails if nothing can be stored. Only backends
   * that store events have it.
   */
  tryStoring?(): Promise<void>;
  /**
   * Groups the recent events of a project's errors again by the heads that `read` returns: an error then also takes the
   * events of the group to which its own events now belong, unless that group is an error already. Only backends that
   * store events have it.
   */
  regroup?(projectId: number, read: ReadHeads, signal: AbortSignal): Promise<void>;
  /**
   * Deletes the next slice of a permanently deleted project, small enough that storing waits only some tens of
   * milliseconds. Returns true when nothing is left. Only backends that store have it.
   */
  deleteProject?(projectId: number): Promise<boolean>;
  /**
   * Lists the projects that a token can see in an external system, at most 100; refuses with one of the EXTERNAL
   * reasons. Only the external backend has it.
   */
  listProjects?(
    target: ExternalTarget,
    call: BackendCall,
  ): Promise<MessageInitShape<typeof ListExternalProjectsResponseSchema>>;
  /**
   * Finds the project of an error that is stored here. Undefined if there is no such error. Only backends that store
   * have it.
   */
  errorProject?(errorId: string): Promise<number | undefined>;
  /** Only backends that store events have it. Other backends refuse by the capability `deleteErrors`. */
  readonly deletions?: ErrorDeletions;
  /**
   * The errors that this service stores, for plugins that change many of them. Only backends that store events have it.
   */
  readonly storedErrors?: StoredErrors;
  /** Returns totals over all projects. Only backends that store events have it. */
  installationStats?(at: { readonly now: number }): Promise<InstallationStats>;
  /**
   * The current usage of each project. Projects that store nothing may be left out. Only backends that store have it.
   */
  usage?(): Promise<readonly ProjectUsage[]>;
  /**
   * Deletes about this many bytes of a project's oldest events, and takes the events out of the project's counters: one
   * slice, as small as the slices of `deleteProject`. Only backends that store events have it.
   */
  evictEvents?(projectId: number, bytes: number): Promise<EvictedEvents>;
}

/** Reads events to explain their groups. */
export interface GroupingEyes {
  /** Returns the heads by which stored events are grouped. By default, events keep the heads that were sent. */
  readonly read?: ReadHeads | undefined;
  /** Returns a text as the caller may see it. */
  readonly show: (text: string) => string;
}

/** Chooses which changed errors are read. */
export interface ChangedErrorsRequest {
  readonly projectId: number;
  /** The keys, each with the user name of the person who set the status, or an empty text. */
  readonly keys: ReadonlyMap<string, string>;
  /** As in WatchErrorsRequest. */
  readonly hourlyCounts: boolean;
}

/** The storage that a project uses. */
export interface ProjectUsage {
  readonly projectId: number;
  readonly eventCount: number;
  /** Bytes of the project's payloads and tags, plus 512 for each event. */
  readonly keptBytes: number;
  /**
   * Whether the numbers are complete. False while events stored before the numbers existed are counted in the
   * background.
   */
  readonly isCounted: boolean;
}

/** Events deleted from a project so that it stays within its limit. */
export interface EvictedEvents {
  /** The number of deleted events. 0 if this slice only looked for them. */
  readonly count: number;
  /** When the newest deleted event was received, in milliseconds since 1970. 0 if no event was deleted. */
  readonly receivedUntil: number;
  /** No event of the project is left. */
  readonly isLast: boolean;
}

/** Deletes errors for good and discards events. */
export type ErrorDeletions = Handlers<typeof DeletionService, BackendCall>;

/** Totals of a backend over all projects. */
export interface InstallationStats {
  /** Events per hour for the last 24 hours, by time of occurrence like the bar graphs; the current hour is the last. */
  readonly eventsPerHour: readonly number[];
  /**
   * Start of the UTC day on which the oldest event was received, in milliseconds since 1970. Undefined before the first
   * event.
   */
  readonly oldestDay?: number | undefined;
}
