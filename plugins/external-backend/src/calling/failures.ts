import { OutboundFailure, ServiceError, type OutboundFault } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { InvalidAnswer } from "../reading/index.ts";

/** Bytes of a body that are read at most: the limit of the original. */
export const maxBodyBytes = 1024 * 1024;

/** Longest `Retry-After` that is honoured, so that no external system can stop a project for good. */
const maxRetryAfterSeconds = 300;

/** How long calls wait after a 429 without `Retry-After`: the windows of Sentry's own limits last a second or a few. */
const usualRetryAfterSeconds = 5;

/**
 * The reason of each failed request, for programs, and its sentence, word for word as clients of the original know it.
 * `BlockedUrlError` and `ReadTimeout` stand for the classes that the original prints there.
 */
const faults: Readonly<Record<OutboundFault, readonly [ErrorReason, message: string]>> = {
  address: [ErrorReason.EXTERNAL_ADDRESS_REFUSED, "Sentry request failed due to BlockedUrlError"],
  connect_timeout: [ErrorReason.EXTERNAL_UNREACHABLE, "Connection to Sentry timed out"],
  read_timeout: [ErrorReason.EXTERNAL_UNREACHABLE, "Sentry request failed due to ReadTimeout"],
  refused: [ErrorReason.EXTERNAL_UNREACHABLE, "Connection refused"],
  socket: [ErrorReason.EXTERNAL_UNREACHABLE, "Received SocketError when trying to connect to Sentry"],
  tls: [ErrorReason.EXTERNAL_UNREACHABLE, "Sentry returned invalid SSL data"],
  protocol: [ErrorReason.EXTERNAL_ANSWER_INVALID, "Error when connecting to Sentry"],
  too_big: [ErrorReason.EXTERNAL_ANSWER_INVALID, "Sentry API response is too big. Limit is 1 MB."],
  aborted: [ErrorReason.EXTERNAL_UNREACHABLE, "Sentry request failed due to ReadTimeout"],
};

/** The failure of a request that got no answer, or an answer that cannot be understood. */
export function failureOf(thrown: unknown): ServiceError {
  if (thrown instanceof InvalidAnswer) return answerInvalid(thrown.message, thrown);
  if (!(thrown instanceof OutboundFailure)) return ServiceError.from(thrown);
  const [reason, message] = faults[thrown.fault];
  const size = thrown.fault === "too_big" ? ` Got ${thrown.bytes} bytes.` : "";
  return new ServiceError(reason, message + size, { cause: thrown });
}

/** The failure that an answer's status reports; undefined from 200 to 204. The body is not looked at. */
export function failureOfStatus(
  status: number,
  headers: Readonly<Record<string, string>>,
  now: number,
): ServiceError | undefined {
  if (status >= 200 && status <= 204) return undefined;
  const message = `Sentry response status code: ${status}`;
  const retryAfterSeconds = retryAfter(headers["retry-after"], now);
  if (status === 429 || (status === 503 && retryAfterSeconds !== undefined)) {
    return new ServiceError(ErrorReason.EXTERNAL_RATE_LIMITED, message, {
      retryAfterSeconds: retryAfterSeconds ?? usualRetryAfterSeconds,
    });
  }
  if (status >= 500) return new ServiceError(ErrorReason.EXTERNAL_UNREACHABLE, message);
  if (status === 401 || status === 403) return new ServiceError(ErrorReason.EXTERNAL_TOKEN_REFUSED, message);
  return answerInvalid(message);
}

/** The body is not JSON. The original has no sentence for this but its general one. */
export function notJson(cause: unknown): ServiceError {
  return answerInvalid("Unexpected Error", cause);
}

/** The answer has more values or deeper nesting than is read. */
export function footprintTooBig(): ServiceError {
  return answerInvalid("Sentry API response memory footprint is too big. Limit is 5 MB.");
}

/** The call timed out, or nobody waits for it any more. */
export function timedOut(): ServiceError {
  return failureOf(new OutboundFailure("read_timeout", "the time limit of the call has passed"));
}

/** Whether the external system cannot be reached now, so that its last answer is better than none. */
export function isDown(failure: unknown): boolean {
  return failure instanceof ServiceError && down.has(failure.reason);
}

const down: ReadonlySet<ErrorReason> = new Set([
  ErrorReason.EXTERNAL_UNREACHABLE,
  ErrorReason.EXTERNAL_RATE_LIMITED,
  ErrorReason.OVERLOADED,
]);

/** No such error in the linked project: it is missing, belongs to another project, or its id is not an id. */
export function errorNotFound(): ServiceError {
  return new ServiceError(
    ErrorReason.ERROR_NOT_FOUND,
    "This error does not exist in this project. The external system may have deleted it.",
  );
}

/** No such event in the linked project. */
export function eventNotFound(): ServiceError {
  return new ServiceError(
    ErrorReason.EVENT_NOT_FOUND,
    "This event does not exist in this project. The external system may have deleted it.",
  );
}

function answerInvalid(message: string, cause?: unknown): ServiceError {
  return new ServiceError(ErrorReason.EXTERNAL_ANSWER_INVALID, message, { cause });
}

/** `Retry-After` in seconds (RFC 9110, section 10.2.3: seconds, or a date); undefined when it is absent or neither. */
function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined || header.length > 64) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - now) / 1000);
  if (Number.isNaN(seconds)) return undefined;
  return Math.min(Math.max(seconds, 1), maxRetryAfterSeconds);
}
