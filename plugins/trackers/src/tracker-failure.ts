import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";

/** A failed call to a tracker. Its message is for people and contains no secret. */
export class TrackerFailure extends Error {
  readonly reason: ErrorReason;
  /** Whether the tracker may have done the work anyway. */
  readonly isUnknown: boolean;
  /** Whether the same call may work later. */
  readonly isPassing: boolean;
  /** How long the tracker wants no calls; 0 if it does not say. */
  readonly retryAfterMs: number;

  constructor(
    reason: ErrorReason,
    message: string,
    more: { isUnknown?: boolean; isPassing?: boolean; retryAfterMs?: number } = {},
  ) {
    super(message);
    this.name = "TrackerFailure";
    this.reason = reason;
    this.isUnknown = more.isUnknown ?? false;
    this.isPassing = more.isPassing ?? this.isUnknown;
    this.retryAfterMs = more.retryAfterMs ?? 0;
  }

  /** Whether this call can never work, while other calls may. */
  get isForGood(): boolean {
    return this.reason === ErrorReason.TRACKER_REFUSED && !this.isPassing;
  }

  /** The failure as a refusal of a person's call. */
  refusal(): ServiceError {
    return new ServiceError(this.reason, this.message, { retryAfterSeconds: Math.ceil(this.retryAfterMs / 1000) });
  }
}

/** Turns failures of trackers into refusals. */
export async function orRefusal<T>(work: Promise<T>): Promise<T> {
  return work.catch((failure: unknown) => {
    throw failure instanceof TrackerFailure ? failure.refusal() : failure;
  });
}
