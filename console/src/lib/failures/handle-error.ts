/**
 * The one way from a refused call to the screen: reason to status and sentence. Runs on the server, which sends the
 * sentence to the browser; `refused-call.ts` reads it there.
 */

import type { ErrorReasonJson } from "@faultline/proto";
import { isExternalFailure } from "./external-failure.ts";
import { waitingTime } from "../time/relative-time.ts";

type CatalogueReason =
  Exclude<ErrorReasonJson, "ERROR_REASON_UNSPECIFIED"> extends `ERROR_REASON_${infer Name}` ? Name : never;

/** A reason of error_reason.proto without its prefix, or a fault that the console itself found. */
export type Reason = CatalogueReason | "CORE_UNREACHABLE" | "UNKNOWN";

/** A refused call, ready for a person. */
export interface Refusal {
  readonly reason: Reason;
  /** HTTP status of a page that cannot be shown for this reason. */
  readonly status: number;
  /** The fault and the remedy, in whole sentences. */
  readonly message: string;
  /** The request field at fault, as named in the proto file; empty when none is. */
  readonly field: string;
  /** The name of the external system's failure in the service's log; empty for all other reasons. */
  readonly detail: string;
  /** When to try again, in seconds. 0: not known. */
  readonly retryAfterSeconds: number;
}

const missing = "This page does not exist, or you do not have access to it.";
const unreachable = "The service is starting or its core cannot be reached.";

/** The status, and the sentence where the console's words are better than the service's own. */
const catalogue: Record<Reason, { status: number; sentence?: string }> = {
  INTERNAL: { status: 500, sentence: "Something went wrong on our side." },
  INVALID_FIELD: { status: 400 },
  INVALID_PAGE_TOKEN: { status: 400, sentence: "This page of the list no longer exists. Start from the first page." },
  TOKEN_REQUIRED: { status: 401, sentence: "Sign in to continue." },
  TOKEN_EXPIRED: { status: 401, sentence: "Your session has expired. Sign in again." },
  TOKEN_REVOKED: { status: 401, sentence: "Your session has expired. Sign in again." },
  INSUFFICIENT_SCOPE: { status: 403 },
  FORBIDDEN: { status: 403 },
  WRONG_CREDENTIALS: { status: 401, sentence: "Wrong user name or password." },
  TOO_MANY_ATTEMPTS: { status: 429 }, // the service's sentence names the attempts
  PROJECT_NOT_FOUND: { status: 404, sentence: missing },
  PROJECT_PATH_TAKEN: { status: 409, sentence: "Another project has this path. Choose another path." },
  SETTINGS_NOT_FOUND: { status: 404, sentence: "Error tracking was never set up for this project." },
  SETTINGS_CHANGED: {
    status: 409,
    sentence: "Someone else changed these settings. Read the current values below, then save again.",
  },
  CLIENT_KEY_NOT_FOUND: { status: 404, sentence: "This client key does not exist. It may have been deleted already." },
  ERROR_NOT_FOUND: { status: 404, sentence: missing },
  EVENT_NOT_FOUND: { status: 404, sentence: "That event is no longer kept. Older events are deleted." },
  ACCESS_TOKEN_NOT_FOUND: { status: 404, sentence: "This token does not exist. It may have been revoked already." },
  MONITOR_DISABLED: {
    status: 404,
    sentence: "Monitor is turned off for this project. A maintainer can turn it on in Settings > General.",
  },
  ERROR_TRACKING_DISABLED: { status: 404, sentence: "Error tracking is not active for this project." },
  INTEGRATED_NOT_OFFERED: { status: 409 },
  EXTERNAL_SETTINGS_INCOMPLETE: { status: 409 },
  NOT_SUPPORTED_BY_BACKEND: { status: 501, sentence: "The external system does not offer this." },
  CLIENT_KEY_REFUSED: { status: 403 },
  STORAGE_UNAVAILABLE: { status: 503 }, // the service says whether it is the database or the queue
  OVERLOADED: { status: 503, sentence: "The service is busy. Try again in a moment." },
  USER_NOT_FOUND: { status: 404, sentence: "This user does not exist. It may have been deleted already." },
  USERNAME_TAKEN: { status: 409 },
  MEMBER_NOT_FOUND: { status: 404, sentence: "This person is not a member of the project." },
  MEMBER_EXISTS: { status: 409, sentence: "This person is a member of the project already." },
  LAST_OWNER: { status: 409 },
  INVITATION_NOT_FOUND: { status: 404 },
  MEMBER_ROLE_NOT_FOUND: {
    status: 404,
    sentence: "This custom role does not exist. It may have been deleted already.",
  },
  MEMBER_ROLE_IN_USE: { status: 409 },
  LIMIT_REACHED: { status: 409 },
  MAIL_NOT_SET_UP: { status: 409 },
  SESSION_NOT_FOUND: { status: 404, sentence: "This session has already ended." },
  EXTERNAL_VERSION_UNSUPPORTED: { status: 409 },
  EXTERNAL_LOOKUP_FAILED: { status: 400 },
  // The service's own sentences for these are for logs. Nothing is wrong here, so none of them is a 5xx.
  EXTERNAL_ADDRESS_REFUSED: {
    status: 409,
    sentence:
      "No connection is made to this address: its name could not be found, or it leads into a private network, to a reserved address or back here.",
  },
  EXTERNAL_UNREACHABLE: { status: 409, sentence: "The external system cannot be reached now." },
  EXTERNAL_TOKEN_REFUSED: {
    status: 409,
    sentence:
      "The external system refused the auth token. A maintainer can enter a new one in Settings > Monitor > Error Tracking.",
  },
  EXTERNAL_RATE_LIMITED: { status: 429, sentence: "The external system limits requests." },
  EXTERNAL_ANSWER_INVALID: {
    status: 409,
    sentence: "The address answered, but not like an error-tracking system.",
  },
  EXTERNAL_PROJECT_TAKEN: { status: 409 },
  OTHER_PROCESSES_RUN: { status: 409 },
  READ_TOO_EXPENSIVE: { status: 422 },
  RATE_LIMITED: {
    status: 429,
    sentence:
      "This is more than one person may do in so short a time. Close some of your open pages, or change fewer errors at once.",
  },
  QUOTA_REACHED: { status: 429 },
  EXPECTED_COUNT_DIFFERS: { status: 409 },
  DELETION_NOT_FOUND: { status: 404, sentence: "This deletion or discard does not exist." },
  BULK_UPDATE_NOT_FOUND: { status: 404, sentence: "This change was made too long ago. It can't be undone anymore." },
  UNDO_OVER: { status: 409 },
  NOTIFICATION_CHANNEL_NOT_FOUND: { status: 404 },
  NOTIFICATION_RULE_NOT_FOUND: { status: 404 },
  NOTIFICATION_DELIVERY_NOT_FOUND: { status: 404 },
  TRACKER_NOT_FOUND: { status: 404 },
  TRACKER_ISSUE_NOT_FOUND: { status: 404 },
  TRACKER_ISSUE_EXISTS: { status: 409 },
  TRACKER_REFUSED: { status: 400 },
  TRACKER_UNUSABLE: { status: 400 },
  TRACKER_UNREACHABLE: { status: 409 }, // nothing is wrong here
  TRACKER_RATE_LIMITED: { status: 429 },
  ARTIFACT_BUNDLE_NOT_FOUND: { status: 404, sentence: "This upload does not exist. It may have been deleted already." },
  RELEASE_RECORD_NOT_FOUND: {
    status: 404,
    sentence: "This release does not exist. It may have been deleted already.",
  },
  SAVED_SEARCH_NOT_FOUND: {
    status: 404,
    sentence: "This saved search does not exist. It may have been deleted already.",
  },
  DELETED_PROJECT_NOT_FOUND: { status: 404, sentence: "This project was deleted for good, or was never deleted." },
  CORE_UNREACHABLE: { status: 503, sentence: unreachable },
  UNKNOWN: { status: 500, sentence: "Something went wrong on our side." },
};

/** Reasons for which the pages sign the person out and ask again. */
const signedOut: ReadonlySet<Reason> = new Set(["TOKEN_REQUIRED", "TOKEN_EXPIRED", "TOKEN_REVOKED"]);

const isReason = (name: string): name is Reason => Object.hasOwn(catalogue, name);

/** The refusal for a reason; `detail` is the service's own sentence, used where the catalogue has none. */
export function refusal(name: string, detail = "", { field = "", retryAfterSeconds = 0 } = {}): Refusal {
  const reason = isReason(name) ? name : "UNKNOWN";
  const { status, sentence } = catalogue[reason];
  return {
    reason,
    status,
    message: [sentence ?? (detail || "The service refused this."), tryAgain(reason, retryAfterSeconds)].join(""),
    field,
    detail: sentence !== undefined && isExternalFailure(reason) ? detail : "",
    retryAfterSeconds,
  };
}

/** The advice for a sentence that stands alone. */
function tryAgain(reason: Reason, retryAfterSeconds: number): string {
  if (retryAfterSeconds > 0) return ` Try again in ${waitingTime(retryAfterSeconds)}.`;
  return reason === "EXTERNAL_UNREACHABLE" || reason === "EXTERNAL_RATE_LIMITED" ? " Try again in a moment." : "";
}

/** Whether the person has to sign in (again). */
export const mustSignIn = ({ reason }: Refusal) => signedOut.has(reason);
