import { ErrorReason } from "@faultline/proto";

/** A refusal with a reason from the catalog and a helpful sentence for a person. It never carries a secret. */
export class ServiceError extends Error {
  readonly reason: ErrorReason;
  /** The invalid request field, named as in the proto file. Empty if no field is invalid. */
  readonly field: string;
  /** When a retry may help, in whole seconds. 0 if that is not known. */
  readonly retryAfterSeconds: number;

  constructor(
    reason: ErrorReason,
    message: string,
    options: { field?: string; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "ServiceError";
    this.reason = reason;
    this.field = options.field ?? "";
    this.retryAfterSeconds = options.retryAfterSeconds ?? 0;
  }

  /** Turns anything thrown into a ServiceError. An unknown error becomes INTERNAL with a fixed sentence. */
  static from(thrown: unknown): ServiceError {
    if (thrown instanceof ServiceError) return thrown;
    return new ServiceError(
      ErrorReason.INTERNAL,
      "The service failed. Try again; if it persists, check the service log.",
      {
        cause: thrown,
      },
    );
  }
}

/** The end of a call after its caller has left. Nobody reads it. */
export const callerLeft = (): ServiceError =>
  new ServiceError(ErrorReason.OVERLOADED, "The caller disconnected before the answer was ready.");

/** A refusal because of one field of the request. */
export function invalidField(field: string, message: string): ServiceError {
  return new ServiceError(ErrorReason.INVALID_FIELD, message, { field });
}

/** Why the service does not start: one sentence with the remedy. The process ends with exit code 1. */
export class StartRefusal extends Error {
  constructor(sentence: string, cause?: unknown) {
    super(sentence, { cause });
    this.name = "StartRefusal";
  }
}
