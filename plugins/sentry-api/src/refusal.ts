import type { HttpAnswer, ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";

/** An answer that says what is wrong, in the form of the original: `{"detail": "..."}`. */
export function detail(status: number, text: string): HttpAnswer {
  return { status, body: { detail: text } };
}

type Answer = (error: ServiceError) => HttpAnswer;

const fixed =
  (status: number, text: string): Answer =>
  () =>
    detail(status, text);

/** The core's own sentence, which says what to do. */
const sentence =
  (status: number): Answer =>
  ({ message }) =>
    detail(status, message);

const retry =
  (status: number, seconds: number): Answer =>
  (error) => ({
    ...sentence(status)(error),
    headers: { "Retry-After": String(error.retryAfterSeconds || seconds) },
  });

// Calls without a token are refused before, so the token is wrong.
const invalidToken = fixed(401, "Invalid token");
const forbidden = fixed(403, "You do not have permission to perform this action.");
const notFound = fixed(404, "The requested resource does not exist");
const failed = fixed(500, "Internal Error");

/** The one table of answers to the core's refusals. It has the texts of the original where it has one for the case. */
const answers: Readonly<Record<ErrorReason, Answer>> = {
  [ErrorReason.UNSPECIFIED]: failed,
  [ErrorReason.INTERNAL]: failed,
  [ErrorReason.INVALID_FIELD]: sentence(400),
  [ErrorReason.INVALID_PAGE_TOKEN]: fixed(400, "Invalid cursor parameter."),
  [ErrorReason.TOKEN_REQUIRED]: invalidToken,
  [ErrorReason.TOKEN_EXPIRED]: fixed(401, "Token expired"),
  [ErrorReason.TOKEN_REVOKED]: invalidToken,
  [ErrorReason.INSUFFICIENT_SCOPE]: forbidden,
  [ErrorReason.FORBIDDEN]: forbidden,
  [ErrorReason.WRONG_CREDENTIALS]: invalidToken,
  [ErrorReason.TOO_MANY_ATTEMPTS]: retry(429, 60),
  [ErrorReason.PROJECT_NOT_FOUND]: notFound,
  [ErrorReason.PROJECT_PATH_TAKEN]: sentence(409),
  [ErrorReason.SETTINGS_NOT_FOUND]: notFound,
  [ErrorReason.CLIENT_KEY_NOT_FOUND]: notFound,
  [ErrorReason.ERROR_NOT_FOUND]: notFound,
  [ErrorReason.EVENT_NOT_FOUND]: fixed(404, "Event not found"),
  [ErrorReason.ACCESS_TOKEN_NOT_FOUND]: notFound,
  // The caller may see the project, so the cause may be named.
  [ErrorReason.MONITOR_DISABLED]: sentence(404),
  [ErrorReason.ERROR_TRACKING_DISABLED]: sentence(404),
  [ErrorReason.INTEGRATED_NOT_OFFERED]: notFound,
  [ErrorReason.EXTERNAL_SETTINGS_INCOMPLETE]: notFound,
  [ErrorReason.NOT_SUPPORTED_BY_BACKEND]: sentence(400),
  [ErrorReason.CLIENT_KEY_REFUSED]: forbidden,
  [ErrorReason.STORAGE_UNAVAILABLE]: retry(503, 30),
  [ErrorReason.OVERLOADED]: retry(503, 30),
  [ErrorReason.SETTINGS_CHANGED]: sentence(409),
  [ErrorReason.USER_NOT_FOUND]: notFound,
  [ErrorReason.USERNAME_TAKEN]: sentence(409),
  [ErrorReason.MEMBER_NOT_FOUND]: notFound,
  [ErrorReason.MEMBER_EXISTS]: sentence(409),
  [ErrorReason.LAST_OWNER]: sentence(400),
  [ErrorReason.INVITATION_NOT_FOUND]: notFound,
  [ErrorReason.MEMBER_ROLE_NOT_FOUND]: notFound,
  [ErrorReason.MEMBER_ROLE_IN_USE]: sentence(400),
  [ErrorReason.LIMIT_REACHED]: sentence(400),
  [ErrorReason.MAIL_NOT_SET_UP]: sentence(400),
  [ErrorReason.SESSION_NOT_FOUND]: notFound,
  [ErrorReason.EXTERNAL_VERSION_UNSUPPORTED]: notFound,
  [ErrorReason.EXTERNAL_LOOKUP_FAILED]: notFound,
  [ErrorReason.DELETED_PROJECT_NOT_FOUND]: notFound,
  // Projects with an external backend are not served, so one that was linked just now looks like a missing project.
  [ErrorReason.EXTERNAL_ADDRESS_REFUSED]: notFound,
  [ErrorReason.EXTERNAL_UNREACHABLE]: notFound,
  [ErrorReason.EXTERNAL_TOKEN_REFUSED]: notFound,
  [ErrorReason.EXTERNAL_RATE_LIMITED]: notFound,
  [ErrorReason.EXTERNAL_ANSWER_INVALID]: notFound,
  [ErrorReason.EXTERNAL_PROJECT_TAKEN]: notFound,
  [ErrorReason.OTHER_PROCESSES_RUN]: sentence(400),
  [ErrorReason.READ_TOO_EXPENSIVE]: sentence(422),
  [ErrorReason.RATE_LIMITED]: retry(429, 1),
  [ErrorReason.QUOTA_REACHED]: retry(429, 30),
  [ErrorReason.EXPECTED_COUNT_DIFFERS]: sentence(409),
  [ErrorReason.DELETION_NOT_FOUND]: notFound,
  [ErrorReason.BULK_UPDATE_NOT_FOUND]: notFound,
  [ErrorReason.NOTIFICATION_CHANNEL_NOT_FOUND]: notFound,
  [ErrorReason.NOTIFICATION_RULE_NOT_FOUND]: notFound,
  [ErrorReason.NOTIFICATION_DELIVERY_NOT_FOUND]: notFound,
  [ErrorReason.TRACKER_NOT_FOUND]: notFound,
  [ErrorReason.TRACKER_ISSUE_NOT_FOUND]: notFound,
  [ErrorReason.TRACKER_ISSUE_EXISTS]: sentence(409),
  [ErrorReason.TRACKER_REFUSED]: sentence(400),
  [ErrorReason.TRACKER_UNUSABLE]: sentence(400),
  [ErrorReason.TRACKER_UNREACHABLE]: sentence(502),
  [ErrorReason.TRACKER_RATE_LIMITED]: retry(429, 60),
  [ErrorReason.UNDO_OVER]: sentence(409),
  [ErrorReason.ARTIFACT_BUNDLE_NOT_FOUND]: notFound,
  [ErrorReason.SAVED_SEARCH_NOT_FOUND]: notFound,
  [ErrorReason.RELEASE_RECORD_NOT_FOUND]: notFound,
};

/** The answer to a refusal by the core or by this API. */
export function refusal(error: ServiceError): HttpAnswer {
  return (answers[error.reason] ?? failed)(error);
}
