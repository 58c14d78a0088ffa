import { ErrorReason, type ErrorEvent, type OutcomeKind } from "@faultline/proto";
import type { Intake } from "./ingest-queue.ts";
import type { JsonObject } from "@faultline/sentry-event";
import { ServiceError } from "../service-error.ts";

/** The way in for requests that carry a client key instead of a token. */
export interface EventDoor {
  /**
   * Admits a client key to a project, immediately if the key was seen before. Without a project: to the key's own, as the
   * oldest SDKs need it. Without a sender: for the service itself, to which origins and shares do not apply. Refuses
   * with a ClientKeyRefusal.
   */
  admit(publicKey: string, projectId?: number, sender?: Sender): Admission | Promise<Admission>;
  /**
   * Takes an item from the limits of key and project. Undefined if it was taken, and plenty is left. `count`: an item
   * that counts as several, which are all taken if there is room for one; the excess counts against the time that
   * follows.
   */
  spend(admission: Admission, category: RateCategory, count?: number): RateLimit | undefined;
  /** The limit of cost that is used up; undefined when there is room. Call it before a body is read. */
  costLimit(admission: Admission, account: CostAccount): CostLimit | undefined;
  /** Takes the cost of a body from the limits of key and project. An excess counts against the time that follows. */
  charge(admission: Admission, account: CostAccount, cost: Cost): void;
  /**
   * Why the project keeps an event out; undefined when it does not. Call it once per event, before `accept`, as it
   * counts against the spike budget. The sender of a stopped event gets the answer of a stored event, and the event is
   * noted as FILTERED.
   */
  filter(admission: Admission, arrived: ArrivedEvent): FilterReason | undefined;
  /** Why the quota of the project refuses requests of a sender now; undefined when it does not. Call it before a body is read. */
  quotaRefusal(admission: Admission): QuotaRefusal | undefined;
  /**
   * Resolves when the intake is on disk and readable. Refuses with STORAGE_UNAVAILABLE or OVERLOADED, or a QuotaRefusal. `admission`: of the
   * sender of all of it, which has a share of its project's day. Undefined for the service itself.
   */
  accept(intake: Intake, admission?: Admission): Promise<void>;
  /** Counts an accepted request in the traffic of its key. Costs next to nothing. */
  received(admission: Admission, request: ReceivedRequest): void;
  /**
   * Counts an item that was not stored. Costs next to nothing; outcomes of projects that do not exist, and of project
   * 0, are in the metrics alone.
   */
  note(outcome: NotedOutcome): void;
}

/** The sender of a request, by its network and its headers. */
export interface Sender {
  readonly clientIp: string;
  /** The header `Origin`, or `Referer` if that is missing; undefined if the request has neither. */
  readonly origin: string | undefined;
}

/**
 * Refuses a client key. One that is unknown, deleted, of another project or of a deleted one gets the same sentence, so
 * that a guess learns nothing. The holder of a valid key learns why it is not accepted.
 */
export class ClientKeyRefusal extends ServiceError {
  /** The word of outcome.proto. */
  readonly outcome: "unknown_key" | ClosedDoor["outcome"];
  /** The valid key that is not accepted now; undefined if it is not a key of the project. */
  readonly keyId: number | undefined;

  /** `closed`: why a valid key is not accepted; undefined if it is not a key of the project. */
  constructor(closed?: ClosedDoor & { readonly keyId: number }) {
    super(ErrorReason.CLIENT_KEY_REFUSED, closed?.message ?? "The DSN is not accepted: check its key and project.");
    this.outcome = closed?.outcome ?? "unknown_key";
    this.keyId = closed?.keyId;
  }
}

/**
 * Refuses a project that may store no more: by its own limits, or because the disk is nearly full and it keeps most.
 */
export class QuotaRefusal extends ServiceError {
  /** The word of outcome.proto. */
  readonly outcome: "quota" | "disk_full";

  constructor(outcome: QuotaRefusal["outcome"], message: string, retryAfterSeconds: number) {
    const reason = outcome === "quota" ? ErrorReason.QUOTA_REACHED : ErrorReason.STORAGE_UNAVAILABLE;
    super(reason, message, { retryAfterSeconds });
    this.outcome = outcome;
  }
}

/** Why requests with a valid key are not accepted. */
export interface ClosedDoor {
  /** The word of outcome.proto. */
  readonly outcome: "not_active" | "monitor_off" | "external_backend" | "not_offered" | "key_disabled" | "origin";
  /** What happened, why, and what to do, for the holder of a right key. */
  readonly message: string;
}

/** A client key that was admitted to its project. */
export interface Admission {
  readonly keyId: number;
  readonly projectId: number;
  /** The sender's network, an IPv4 /24 or IPv6 /64; empty for the service itself. */
  readonly network: string;
  /** The key's own limits; undefined if it has none. */
  readonly limits: KeyLimits | undefined;
  /** The inbound filters of the project, for `EventDoor.filter`; undefined if they are off. */
  readonly filters?: ProjectFilters | undefined;
}

/** How many events may come with a key. 0: no limit. */
export interface KeyLimits {
  readonly perMinute: number;
  readonly perDay: number;
  /** Events of a day (UTC, counted from 1970) when the key was looked up. */
  readonly counted: { readonly day: number; readonly events: number };
}

/** The accepted part of a request. */
export interface ReceivedRequest {
  /** Errors and CSP reports. */
  readonly events: number;
  /** Bytes of its body as it was sent. */
  readonly bytes: number;
}

/** The filters of a project, compiled to judge events. */
export interface ProjectFilters {
  /** The first filter that stops an event. */
  reasonToStop(arrived: ArrivedEvent): FilterReason | undefined;
  /** The time from which spikes are sampled, in milliseconds since 1970; `Infinity`: spike protection is off. */
  readonly spikesSampledFrom: number;
}

/** An event with its head and the other facts that filters check. */
export interface ArrivedEvent {
  readonly event: ErrorEvent;
  /** The event as it was sent; of a large one only the fields that filters check (`filteredFields`). */
  readonly sent: JsonObject;
  /** The sender's address. */
  readonly clientIp: string;
  /** The User-Agent of its request. May be empty. */
  readonly userAgent: string;
}

/** Why a project keeps an event out; the words of outcome.proto. */
export type FilterReason =
  | "filter_address"
  | "filter_release"
  | "filter_environment"
  | "filter_message"
  | "filter_type"
  | "crawler"
  | "old_browser"
  | "browser_extension"
  | "localhost"
  | "spike";

/**
 * Categories with separate rate limits: a storm of errors must not stop sessions, nor the CSP reports of one page its
 * errors. `security` is for CSP reports, `default` for requests that bring nothing of the others.
 */
export type RateCategory = "error" | "security" | "session" | "feedback" | "default";

/** The account that is charged for the bodies of a request. CSP reports have their own, for the same reason. */
export type CostAccount = "security" | "default";

/** A limit that is used up, or nearly so. */
export interface RateLimit {
  /** The word of outcome.proto: the rate limit of the installation, or of the key. */
  readonly reason: "rate_limit" | "key_limit";
  /** Whether the item is refused; otherwise it was taken, but more than 90 % of the limit is used. */
  readonly isExceeded: boolean;
  /** Whole seconds until there is room again, from 1. */
  readonly retryAfterSeconds: number;
  /** The owner of the limit. */
  readonly scope: "key" | "project";
}

/** The cost of a body, in addition to its count. */
export interface Cost {
  /** Bytes of it after decompression. */
  readonly bytes?: number;
  /** Milliseconds for which it occupied the event loop. */
  readonly ms?: number;
}

/** A limit of cost that is used up. */
export interface CostLimit extends RateLimit {
  readonly of: keyof Cost;
}

/** An item that was not stored, in the words of outcome.proto. */
export interface NotedOutcome {
  readonly projectId: number;
  readonly kind: OutcomeKind;
  readonly category: string;
  readonly reason: string;
  readonly quantity: number;
  /** The key that it was sent with; undefined if no key is known. */
  readonly keyId?: number | undefined;
  /** Bytes of the request's body; by default 0, for a body that was not read. */
  readonly bytes?: number;
  /** Shown to people who wait for the first event; undefined if no request was refused. Never holds a secret. */
  readonly refusal?: { readonly message: string; readonly ipAddress: string; readonly sdk: string };
}
