import { ErrorReason } from "@faultline/proto";
import { status } from "@grpc/grpc-js";

/** The gRPC status of each reason; the only place that picks one. The sentences stand in error_reason.proto. */
export const statusOfReason: Readonly<Record<ErrorReason, status>> = {
  [ErrorReason.UNSPECIFIED]: status.INTERNAL,
  [ErrorReason.INTERNAL]: status.INTERNAL,
  [ErrorReason.INVALID_FIELD]: status.INVALID_ARGUMENT,
  [ErrorReason.INVALID_PAGE_TOKEN]: status.INVALID_ARGUMENT,
  [ErrorReason.TOKEN_REQUIRED]: status.UNAUTHENTICATED,
  [ErrorReason.TOKEN_EXPIRED]: status.UNAUTHENTICATED,
  [ErrorReason.TOKEN_REVOKED]: status.UNAUTHENTICATED,
  [ErrorReason.INSUFFICIENT_SCOPE]: status.PERMISSION_DENIED,
  [ErrorReason.FORBIDDEN]: status.PERMISSION_DENIED,
  [ErrorReason.WRONG_CREDENTIALS]: status.UNAUTHENTICATED,
  [ErrorReason.TOO_MANY_ATTEMPTS]: status.RESOURCE_EXHAUSTED,
  [ErrorReason.PROJECT_NOT_FOUND]: status.NOT_FOUND,
  [ErrorReason.PROJECT_PATH_TAKEN]: status.ALREADY_EXISTS,
  [ErrorReason.SETTINGS_NOT_FOUND]: status.NOT_FOUND,
  [ErrorReason.CLIENT_KEY_NOT_FOUND]: status.NOT_FOUND,
  [ErrorReason.ERROR_NOT_FOUND]: status.NOT_FOUND,
  [ErrorReason.EVENT_NOT_FOUND]: status.NOT_FOUND,
  [ErrorReason.ACCESS_TOKEN_NOT_FOUND]: status.NOT_FOUND,
  [ErrorReason.MONITOR_DISABLED]: status.FAILED_PRECONDITION,
  [ErrorReason.ERROR_TRACKING_DISABLED]: status.FAILED_PRECONDITION,
  [ErrorReason.INTEGRATED_NOT_OFFERED]: status.FAILED_PRECONDITION,
  [ErrorReason.EXTERNAL_SETTINGS_INCOMPLETE]: status.FAILED_PRECONDITION,
  [ErrorReason.SETTINGS_CHANGED]: status.ABORTED,
  [ErrorReason.NOT_SUPPORTED_BY_BACKEND]: status.UNIMPLEMENTED,
  [ErrorReason.CLIENT_KEY_REFUSED]: status.PERMISSION_DENIED,
  [ErrorReason.STORAGE_UNAVAILABLE]: status.UNAVAILABLE,
  [ErrorReason.OVERLOADED]: status.UNAVAILABLE,
  [ErrorReason.USER_NOT_FOUND]: status.NOT_FOUND,
  [ErrorReason.USERNAME_TAKEN]: status.ALREADY_EXISTS,
  [ErrorReason.MEMBER_NOT_FOUND]: status.NOT_FOUND,
  [ErrorReason.MEMBER_EXISTS]: status.ALREADY_EXISTS,
  [ErrorReason.LAST_OWNER]: status.FAILED_PRECONDITION,
  [ErrorReason.INVITATION_NOT_FOUND]: status.NOT_FOUND,
  [ErrorReason.MEMBER_ROLE_NOT_FOUND]: status.NOT_FOUND,
  [ErrorReason.MEMBER_ROLE_IN_USE]: status.FAILED_PRECONDITION,
  [ErrorReason.LIMIT_REACHED]: status.FAILED_PRECONDITION,
  [ErrorReason.SESSION_NOT_FOUND]: status.NOT_FOUND,
  [ErrorReason.EXTERNAL_VERSION_UNSUPPORTED]: status.FAILED_PRECONDITION,
  [ErrorReason.EXTERNAL_LOOKUP_FAILED]: status.FAILED_PRECONDITION,
  [ErrorReason.DELETED_PROJECT_NOT_FOUND]: status.NOT_FOUND,
  [ErrorReason.EXTERNAL_ADDRESS_REFUSED]: status.FAILED_PRECONDITION,
  [ErrorReason.EXTERNAL_UNREACHABLE]: status.UNAVAILABLE,
  [ErrorReason.EXTERNAL_TOKEN_REFUSED]: status.FAILED_PRECONDITION,
  [ErrorReason.EXTERNAL_RATE_LIMITED]: status.RESOURCE_EXHAUSTED,
  [ErrorReason.EXTERNAL_ANSWER_INVALID]: status.FAILED_PRECONDITION,
  [ErrorReason.EXTERNAL_PROJECT_TAKEN]: status.ALREADY_EXISTS,
  [ErrorReason.OTHER_PROCESSES_RUN]: status.FAILED_PRECONDITION,
  [ErrorReason.READ_TOO_EXPENSIVE]: status.RESOURCE_EXHAUSTED,
  [ErrorReason.RATE_LIMITED]: status.RESOURCE_EXHAUSTED,
  [ErrorReason.QUOTA_REACHED]: status.RESOURCE_EXHAUSTED,
  [ErrorReason.ARTIFACT_BUNDLE_NOT_FOUND]: status.NOT_FOUND,
  [ErrorReason.SAVED_SEARCH_NOT_FOUND]: status.NOT_FOUND,
  [ErrorReason.RELEASE_RECORD_NOT_FOUND]: status.NOT_FOUND,
  [ErrorReason.EXPECTED_COUNT_DIFFERS]: status.FAILED_PRECONDITION,
  [ErrorReason.DELETION_NOT_FOUND]: status.NOT_FOUND,
  [ErrorReason.BULK_UPDATE_NOT_FOUND]: status.NOT_FOUND,
  [ErrorReason.NOTIFICATION_CHANNEL_NOT_FOUND]: status.NOT_FOUND,
  [ErrorReason.NOTIFICATION_RULE_NOT_FOUND]: status.NOT_FOUND,
  [ErrorReason.NOTIFICATION_DELIVERY_NOT_FOUND]: status.NOT_FOUND,
  [ErrorReason.TRACKER_NOT_FOUND]: status.NOT_FOUND,
  [ErrorReason.TRACKER_ISSUE_NOT_FOUND]: status.NOT_FOUND,
  [ErrorReason.TRACKER_ISSUE_EXISTS]: status.ALREADY_EXISTS,
  [ErrorReason.TRACKER_REFUSED]: status.FAILED_PRECONDITION,
  [ErrorReason.MAIL_NOT_SET_UP]: status.FAILED_PRECONDITION,
  [ErrorReason.TRACKER_UNUSABLE]: status.FAILED_PRECONDITION,
  [ErrorReason.TRACKER_UNREACHABLE]: status.UNAVAILABLE,
  [ErrorReason.TRACKER_RATE_LIMITED]: status.RESOURCE_EXHAUSTED,
  [ErrorReason.UNDO_OVER]: status.FAILED_PRECONDITION,
};

/** A refusal with a reason from the catalogue and a sentence that helps a person; it never carries a secret. */
export class ServiceError extends Error {
  readonly reason: ErrorReason;
  /** The request field at fault, named as in the proto file; empty when none is. */
  readonly field: string;
  /** When a retry may help, in whole seconds; 0 where that is not known. */
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

  /** Turns anything thrown into a ServiceError; an unknown error becomes INTERNAL with a fixed sentence. */
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

/** The end of a call whose caller has left; nobody reads it. */
export const callerLeft = (): ServiceError =>
  new ServiceError(ErrorReason.OVERLOADED, "The caller disconnected before the answer was ready.");

/** A refusal because of one field of the request. */
export function invalidField(field: string, message: string): ServiceError {
  return new ServiceError(ErrorReason.INVALID_FIELD, message, { field });
}
