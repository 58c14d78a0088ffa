import { ErrorReason, type ErrorEvent, type OutcomeKind } from "@faultline/proto";
import type { Intake } from "./ingest-queue.ts";
import type { JsonObject } from "@faultline/sentry-event";
import { ServiceError } from "../service-error.ts";

/** The entrance for requests that carry a client key instead of a token. */
export interface EventDoor {
  /**
   * Admits a client key to a project, immediately if the key was seen before. Without `projectId`, the key's project is
   * used, which the oldest SDKs need. Without a sender, the service itself sends, to which origins and shares do not
   * apply. Refuses with a ClientKeyRefusal.
   */
  admit(publicKey: string, projectId?: number, sender?: Sender): Admission | Promise<Admission>;
  /**
   * Takes an item from the limits of key and project. Undefined if it was taken and plenty is left. `count` is for an
   * item that counts as several: all are taken if there is room for one, and the excess counts against the time that
   * follows.
   */
  spend(admission: Admission, category: RateCategory, count?: number): RateLimit | undefined;
  /** The exhausted limit of cost. Undefined if there is room. Call it before a body is read. */
  costLimit(admission: Admission, account: CostAccount): CostLimit | undefined;
  /** Takes the cost of a body from the limits of key and project. An excess counts against the time that follows. */
  charge(admission: Admission, account: CostAccount, cost: Cost): void;
  /**
   * Why the project keeps an event out. Undefined if it does not. Call it once per event, before `accept`, because it
   * counts against the spike budget. The sender of a stopped event gets the answer of a stored event, and the event is
   * noted as FILTERED.
   */
  filter(admission: Admission, arrived: ArrivedEvent): FilterReason | undefined;
  /**
   * Why the quota of the project now refuses a sender's requests. Undefined if it does not. Call it before a body is
   * read.
   */
  quotaRefusal(admission: Admission): QuotaRefusal | undefined;
  /**
   * Resolves when the intake is on disk and readable. Refuses with STORAGE_UNAVAILABLE, OVERLOADED or a QuotaRefusal.
   * `admission` is the admission of the sender, which has a share of its project's day. Undefined for the service
   * itself.
   */
  accept(intake: Intake, admission?: Admission): Promise<void>;
  /** Counts an accepted request in the traffic of its key. The cost is negligible. */
  received(admission: Admission, request: ReceivedRequest): void;
  /**
   * Counts an item that was not stored. The cost is negligible. Outcomes of project 0 and of projects that do not exist
   * appear only in the metrics.
   */
  note(outcome: NotedOutcome): void;
}

/** The sender of a request, by its network and its headers. */
export interface Sender {
  readonly clientIp: string;
  /** The header `Origin`, or `Referer` if `Origin` is missing. Undefined if the request has neither. */
  readonly origin: string | undefined;
}

/**
 * Refuses a client key. A key that is unknown, deleted, or of another or a deleted project gets the same sentence, so
 * that a guess learns nothing. The holder of a valid key learns why it is not accepted.
 */
export class ClientKeyRefusal extends ServiceError {
  /** The word of outcome.proto. */
  readonly outcome: "unknown_key" | ClosedDoor["outcome"];
  /** The valid key that is currently not accepted. Undefined if it is not a key of the project. */
  readonly keyId: number | undefined;

  /** `closed` says why a valid key is not accepted. Undefined if it is not a key of the project. */
  constructor(closed?: ClosedDoor & { readonly keyId: number }) {
    super(ErrorReason.CLIENT_KEY_REFUSED, closed?.message ?? "The DSN is not accepted: check its key and project.");
    this.outcome = closed?.outcome ?? "unknown_key";
    this.keyId = closed?.keyId;
  }
}

/**
 * Refuses a project that may store no more, because of its own limits, or because the disk is nearly full and the
 * project uses the most.
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
  /** What happened, why, and how to fix it, for the holder of a valid key. */
  readonly message: string;
}

/** A client key that was admitted to its project. */
export interface Admission {
  readonly keyId: number;
  readonly projectId: number;
  /** The sender's network, an IPv4 /24 or IPv6 /64. Empty for the service itself. */
  readonly network: string;
  /** The key's own limits. Undefined if it has none. */
  readonly limits: KeyLimits | undefined;
  /** The inbound filters of the project, for `EventDoor.filter`. Undefined if they are off. */
  readonly filters?: ProjectFilters | undefined;
}

/** How many events a key may send. 0 means no limit. */
export interface KeyLimits {
  readonly perMinute: number;
  readonly perDay: number;
  /** Events of a UTC day (numbered from 1970) when the key was looked up. */
  readonly counted: { readonly day: number; readonly events: number };
}

/** The accepted part of a request. */
export interface ReceivedRequest {
  /** Errors and CSP reports. */
  readonly events: number;
  /** Bytes of the body as it was sent. */
  readonly bytes: number;
}

/** The filters of a project, compiled to judge events. */
export interface ProjectFilters {
  /** The first filter that stops an event. */
  reasonToStop(arrived: ArrivedEvent): FilterReason | undefined;
  /** When spikes begin to be sampled, in milliseconds since 1970. `Infinity` if spike protection is off. */
  readonly spikesSampledFrom: number;
}

/** An event with its head and the other facts that filters check. */
export interface ArrivedEvent {
  readonly event: ErrorEvent;
  /** The event as it was sent. For a large event, only the fields that filters check (`filteredFields`). */
  readonly sent: JsonObject;
  /** The sender's address. */
  readonly clientIp: string;
  /** The User-Agent of the request. May be empty. */
  readonly userAgent: string;
}

/** Why a project keeps an event out, in the words of outcome.proto. */
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
 * Categories with separate rate limits: a storm of errors must not stop sessions, and the CSP reports of a page must
 * not stop its errors. `security` is for CSP reports, `default` for requests with none of the others.
 */
export type RateCategory = "error" | "security" | "session" | "feedback" | "default";

/** The account that is charged for the bodies of a request. CSP reports have a separate account for the same reason. */
export type CostAccount = "security" | "default";

/** A limit that is exhausted or nearly exhausted. */
export interface RateLimit {
  /** The word of outcome.proto for the rate limit of the installation or of the key. */
  readonly reason: "rate_limit" | "key_limit";
  /** Whether the item is refused. If not, it was taken, but more than 90 % of the limit is used. */
  readonly isExceeded: boolean;
  /** Whole seconds until there is room again, at least 1. */
  readonly retryAfterSeconds: number;
  /** The owner of the limit. */
  readonly scope: "key" | "project";
}

/** The cost of a body, in addition to its count. */
export interface Cost {
  /** Bytes of the body after decompression. */
  readonly bytes?: number;
  /** Milliseconds during which it occupied the event loop. */
  readonly ms?: number;
}

/** An exhausted limit of cost. */
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
  /** The key of the request. Undefined if no key is known. */
  readonly keyId?: number | undefined;
  /** Bytes of the request's body. Default: 0, for a body that was not read. */
  readonly bytes?: number;
  /** Shown to people who wait for the first event. Undefined if no request was refused. Never holds a secret. */
  readonly refusal?: { readonly message: string; readonly ipAddress: string; readonly sdk: string };
}
