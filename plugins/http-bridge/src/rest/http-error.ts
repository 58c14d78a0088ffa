import { ServiceError } from "@faultline/plugin";
import { ParameterFault } from "@faultline/plugin/rest";
import { ErrorReason } from "@faultline/proto";
import { reasonName } from "@faultline/proto/grpc";

/**
 * An answer of the REST API to a call that failed. Its body has the form of the original, and `reason` beside it: a word
 * that stays the same, by which programs branch.
 */
export interface HttpError {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export function unsupportedType(type: string): Error {
  return new ParameterFault(415, `The provided content-type '${type}' is not supported.`);
}

/** The reasons that only REST has; all others are those of gRPC (error_reason.proto). */
export const restReasons = ["UNSUPPORTED_TYPE", "METHOD_NOT_ALLOWED", "ADDRESS_NOT_FOUND", "REMOVED"] as const;

/** A refusal of the request itself. `error` or `message`: as the original has it for this status. */
export function refusedRequest(
  status: number,
  reason: (typeof restReasons)[number] | "INVALID_FIELD",
  said: { readonly error: string } | { readonly message: string },
): HttpError {
  return { status, body: { ...said, reason } };
}

type Answer = (error: ServiceError) => HttpError;

/** The one table of REST answers to the core's refusals (gitlab.md 1.1): `message` for most, `error` for tokens. */
const answers: Readonly<Record<ErrorReason, Answer>> = {
  [ErrorReason.UNSPECIFIED]: words(500, "500 Internal Server Error"),
  [ErrorReason.INTERNAL]: words(500, "500 Internal Server Error"),
  [ErrorReason.INVALID_FIELD]: (error) => ({ status: 400, body: { message: `400 Bad request - ${error.message}` } }),
  [ErrorReason.INVALID_PAGE_TOKEN]: () => ({ status: 400, body: { error: "cursor is invalid" } }),
  [ErrorReason.TOKEN_REQUIRED]: words(401, "401 Unauthorized"),
  [ErrorReason.TOKEN_EXPIRED]: invalidToken("Token is expired. You can either do re-authorization or token refresh."),
  [ErrorReason.TOKEN_REVOKED]: invalidToken("Token was revoked. You have to re-authorize from the user."),
  [ErrorReason.INSUFFICIENT_SCOPE]: () => ({
    status: 403,
    body: {
      error: "insufficient_scope",
      error_description: "The request requires higher privileges than provided by the access token.",
      scope: "api",
    },
  }),
  [ErrorReason.FORBIDDEN]: words(403, "403 Forbidden"),
  [ErrorReason.WRONG_CREDENTIALS]: words(401, "401 Unauthorized"),
  [ErrorReason.TOO_MANY_ATTEMPTS]: sentence(429, { "retry-after": "60" }),
  [ErrorReason.PROJECT_NOT_FOUND]: notFound("Project"),
  [ErrorReason.PROJECT_PATH_TAKEN]: () => ({ status: 400, body: { message: { path: ["has already been taken"] } } }),
  [ErrorReason.SETTINGS_NOT_FOUND]: notFound("Error Tracking Setting"),
  [ErrorReason.CLIENT_KEY_NOT_FOUND]: words(404, "404 Not found"),
  [ErrorReason.ERROR_NOT_FOUND]: notFound("Error"),
  [ErrorReason.EVENT_NOT_FOUND]: notFound("Event"),
  [ErrorReason.ACCESS_TOKEN_NOT_FOUND]: notFound("Personal Access Token"),
  // The original answers 404 to both as well, and does not say why (gitlab.md 1.3, 6.1).
  [ErrorReason.MONITOR_DISABLED]: notFoundBecause,
  [ErrorReason.ERROR_TRACKING_DISABLED]: sentence(400),
  [ErrorReason.INTEGRATED_NOT_OFFERED]: notFoundBecause,
  [ErrorReason.EXTERNAL_SETTINGS_INCOMPLETE]: sentence(400),
  [ErrorReason.NOT_SUPPORTED_BY_BACKEND]: sentence(400),
  [ErrorReason.CLIENT_KEY_REFUSED]: words(403, "403 Forbidden"),
  [ErrorReason.STORAGE_UNAVAILABLE]: sentence(503, { "retry-after": "30" }),
  [ErrorReason.OVERLOADED]: sentence(503, { "retry-after": "30" }),
  [ErrorReason.SETTINGS_CHANGED]: sentence(409),
  [ErrorReason.USER_NOT_FOUND]: notFound("User"),
  [ErrorReason.USERNAME_TAKEN]: ({ field }) => ({
    status: 409,
    body: { message: `${field === "email" ? "Email" : "Username"} has already been taken` },
  }),
  [ErrorReason.MEMBER_NOT_FOUND]: notFound("Member"),
  [ErrorReason.MEMBER_EXISTS]: words(409, "Member already exists"),
  [ErrorReason.LAST_OWNER]: sentence(400),
  [ErrorReason.INVITATION_NOT_FOUND]: notFound("Invitation"),
  [ErrorReason.MEMBER_ROLE_NOT_FOUND]: notFound("Member Role"),
  [ErrorReason.MEMBER_ROLE_IN_USE]: sentence(400),
  [ErrorReason.LIMIT_REACHED]: sentence(400),
  [ErrorReason.MAIL_NOT_SET_UP]: sentence(400),
  [ErrorReason.SESSION_NOT_FOUND]: notFound("Session"),
  [ErrorReason.EXTERNAL_VERSION_UNSUPPORTED]: sentence(400),
  [ErrorReason.EXTERNAL_LOOKUP_FAILED]: sentence(400),
  [ErrorReason.DELETED_PROJECT_NOT_FOUND]: notFound("Deleted Project"),
  [ErrorReason.EXTERNAL_ADDRESS_REFUSED]: sentence(400),
  [ErrorReason.EXTERNAL_UNREACHABLE]: sentence(502),
  [ErrorReason.EXTERNAL_TOKEN_REFUSED]: sentence(400),
  [ErrorReason.EXTERNAL_RATE_LIMITED]: sentence(429),
  [ErrorReason.EXTERNAL_ANSWER_INVALID]: sentence(502),
  [ErrorReason.EXTERNAL_PROJECT_TAKEN]: sentence(409),
  [ErrorReason.OTHER_PROCESSES_RUN]: sentence(400),
  [ErrorReason.READ_TOO_EXPENSIVE]: sentence(422), // not 503: the same request would cost the same again
  [ErrorReason.RATE_LIMITED]: sentence(429),
  [ErrorReason.QUOTA_REACHED]: sentence(429),
  [ErrorReason.EXPECTED_COUNT_DIFFERS]: sentence(409),
  [ErrorReason.DELETION_NOT_FOUND]: notFound("Deletion"),
  [ErrorReason.BULK_UPDATE_NOT_FOUND]: notFound("Bulk update"),
  [ErrorReason.NOTIFICATION_CHANNEL_NOT_FOUND]: notFound("Notification Channel"),
  [ErrorReason.NOTIFICATION_RULE_NOT_FOUND]: notFound("Notification Rule"),
  [ErrorReason.NOTIFICATION_DELIVERY_NOT_FOUND]: notFound("Notification Delivery"),
  [ErrorReason.TRACKER_NOT_FOUND]: notFound("Issue Tracker"),
  [ErrorReason.TRACKER_ISSUE_NOT_FOUND]: sentence(404),
  [ErrorReason.TRACKER_ISSUE_EXISTS]: sentence(409),
  [ErrorReason.TRACKER_REFUSED]: sentence(400),
  [ErrorReason.TRACKER_UNUSABLE]: sentence(400),
  [ErrorReason.TRACKER_UNREACHABLE]: sentence(502),
  [ErrorReason.TRACKER_RATE_LIMITED]: sentence(429),
  [ErrorReason.UNDO_OVER]: sentence(409),
  [ErrorReason.ARTIFACT_BUNDLE_NOT_FOUND]: notFound("Artifact Bundle"),
  [ErrorReason.SAVED_SEARCH_NOT_FOUND]: notFound("Saved Search"),
  [ErrorReason.RELEASE_RECORD_NOT_FOUND]: notFound("Release"),
};

/** The REST answer to anything thrown. */
export function httpError(thrown: unknown): HttpError {
  if (thrown instanceof ParameterFault) {
    const { status, message } = thrown;
    return refusedRequest(status, status === 415 ? "UNSUPPORTED_TYPE" : "INVALID_FIELD", { error: message });
  }
  const error = ServiceError.from(thrown);
  const formed = (answers[error.reason] ?? words(500, "500 Internal Server Error"))(error);
  const answer = { ...formed, body: { ...formed.body, reason: reasonName(error.reason) } };
  if (error.retryAfterSeconds === 0) return answer;
  return { ...answer, headers: { ...answer.headers, "retry-after": String(error.retryAfterSeconds) } };
}

function words(status: number, text: string): Answer {
  return () => ({ status, body: { message: text } });
}

function notFound(resource: string): Answer {
  return words(404, `404 ${resource} Not Found`);
}

function notFoundBecause({ message }: ServiceError): HttpError {
  return { status: 404, body: { message: `404 Not Found - ${message}` } };
}

/** The core's own sentence, which says what to do. */
function sentence(status: number, headers: HttpError["headers"] = {}): Answer {
  return (error) => ({ status, body: { message: error.message }, headers });
}

function invalidToken(description: string): Answer {
  return () => ({ status: 401, body: { error: "invalid_token", error_description: description } });
}
