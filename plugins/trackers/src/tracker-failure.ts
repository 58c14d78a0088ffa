import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";

/** A call of a tracker that did not do what it should. Its message is for people and holds no secret. */
export class TrackerFailure extends Error {
  readonly reason: ErrorReason;
  /** Whether the tracker may have done it all the same. */
  readonly isUnknown: boolean;
  /** Whether the same call may work later. */
  readonly isPassing: boolean;
  /** The tracker wants no call for so long. 0: it does not say. */
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

  /** Whether this call can never work, while others may. */
  get isForGood(): boolean {
    return this.reason === ErrorReason.TRACKER_REFUSED && !this.isPassing;
  }

  /** As a refusal of the call of a person. */
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
