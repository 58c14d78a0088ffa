import { ErrorReason, type OutcomeKind } from "@faultline/proto";
import type { Intake } from "./ingest-queue.ts";
import { ServiceError } from "./service-error.ts";

/** The way in for what comes with a client key instead of a token. */
export interface EventDoor {
  /**
   * Admits a client key to a project; at once when the key was seen before. Without a project: to the key's own, as the
   * oldest SDKs ask for it. Refuses with a ClientKeyRefusal.
   */
  admit(publicKey: string, projectId?: number): Admission | Promise<Admission>;
  /** Takes room for one item from the rate limits of key and project. Undefined: it was taken, and there is plenty. */
  spend(admission: Admission, category: RateCategory): RateLimit | undefined;
  /** The limit of cost that is used up; undefined: there is room. To be asked before a body is read. */
  costLimit(admission: Admission): CostLimit | undefined;
  /** Takes what a body cost from the limits of key and project. When it is more than there is, the time has to pay it back. */
  charge(admission: Admission, cost: Cost): void;
  /** Why the quota of the project refuses what comes now; undefined: it does not. To be asked before a body is read. */
  quotaRefusal(admission: Admission): QuotaRefusal | undefined;
  /** Resolves when the intake is on disk and readable. Refuses with STORAGE_UNAVAILABLE or OVERLOADED, or a QuotaRefusal. */
  accept(intake: Intake): Promise<void>;
  /**
   * Counts what was not stored. Costs next to nothing; outcomes of projects that do not exist, and of project 0, are in
   * the metrics alone.
   */
  note(outcome: NotedOutcome): void;
}

/**
 * Refuses a client key. One that is unknown, deleted, of another project or of a deleted one gets the same sentence, so that
 * a guess learns nothing. The holder of a right key learns why its project takes no events.
 */
export class ClientKeyRefusal extends ServiceError {
  /** The word of outcome.proto. */
  readonly outcome: "unknown_key" | ClosedProject["outcome"];

  /** `closed`: why the project of a right key takes no events. Absent: it is no key of the project. */
  constructor(closed?: ClosedProject) {
    super(ErrorReason.CLIENT_KEY_REFUSED, closed?.message ?? "The DSN is not accepted: check its key and project.");
    this.outcome = closed?.outcome ?? "unknown_key";
  }
}

/** Refuses what a project may no longer store: by its own limits, or as the disk is nearly full and it keeps most. */
export class QuotaRefusal extends ServiceError {
  /** The word of outcome.proto. */
  readonly outcome: "quota" | "disk_full";

  constructor(outcome: QuotaRefusal["outcome"], message: string, retryAfterSeconds: number) {
    const reason = outcome === "quota" ? ErrorReason.QUOTA_REACHED : ErrorReason.STORAGE_UNAVAILABLE;
    super(reason, message, { retryAfterSeconds });
    this.outcome = outcome;
  }
}

/** Why a project takes no events. */
export interface ClosedProject {
  /** The word of outcome.proto. */
  readonly outcome: "not_active" | "monitor_off" | "external_backend" | "not_offered";
  /** For the holder of a right key: what happened, why, and what to do. */
  readonly message: string;
}

/** A client key that was admitted to its project. */
export interface Admission {
  readonly keyId: number;
  readonly projectId: number;
}

/**
 * What is limited apart: a storm of errors must not stop sessions. `default` is for requests that bring nothing of the
 * others.
 */
export type RateCategory = "error" | "session" | "feedback" | "default";

/** A rate limit that is used up, or nearly so. */
export interface RateLimit {
  /** Whether the item is refused; else it was taken, but more than 90 % of the limit is used. */
  readonly isExceeded: boolean;
  /** Whole seconds after which there is room again, from 1. */
  readonly retryAfterSeconds: number;
  /** Whose limit it is. */
  readonly scope: "key" | "project";
}

/** What a body costs beside being counted. */
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

/** Something that was not stored; the words are those of outcome.proto. */
export interface NotedOutcome {
  readonly projectId: number;
  readonly kind: OutcomeKind;
  readonly category: string;
  readonly reason: string;
  readonly quantity: number;
  /** What to show to whoever waits for the first event. Absent: not a refused request. Never holds a secret. */
  readonly refusal?: { readonly message: string; readonly ipAddress: string; readonly sdk: string };
}
