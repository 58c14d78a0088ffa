import type { HttpAnswer, ServiceError } from "@faultline/plugin";
import { answerTo, ErrorReason, ReasonAnswer_Code as Code } from "@faultline/proto";
import { reasonName } from "@faultline/proto/grpc";

/** An answer that says what is wrong, in the form of the original: `{"detail": "..."}`. */
export function detail(status: number, text: string): HttpAnswer {
  return { status, body: { detail: text } };
}

/** The answer to a refusal by the core or by this API. */
export function refusal(error: ServiceError): HttpAnswer {
  const { code, httpStatus, retryAfterSeconds } = answerTo(error.reason);
  if (isHidden(error.reason)) return detail(404, missing);
  const answer = detail(...(said[error.reason]?.(error) ?? [httpStatus, fixed[code] ?? error.message]));
  if (httpStatus !== 429 && httpStatus !== 503) return answer;
  return { ...answer, headers: { "Retry-After": String(error.retryAfterSeconds || retryAfterSeconds || 1) } };
}

const missing = "The requested resource does not exist";

/** Projects with an external backend are not served, so one that was linked just now looks like a missing project. */
const isHidden = (reason: ErrorReason) =>
  reasonName(reason).startsWith("EXTERNAL_") || reason === ErrorReason.INTEGRATED_NOT_OFFERED;

/** The texts of the original, which say nothing of the cause; for all other codes the core's sentence says what to do. */
const fixed: Partial<Record<Code, string>> = {
  [Code.INTERNAL]: "Internal Error",
  [Code.UNAUTHENTICATED]: "Invalid token", // calls without one are refused before
  [Code.PERMISSION_DENIED]: "You do not have permission to perform this action.",
  [Code.NOT_FOUND]: missing,
};

/** The reasons for which the original has another text or status. */
const said: Partial<Record<ErrorReason, (error: ServiceError) => readonly [status: number, text: string]>> = {
  [ErrorReason.INVALID_PAGE_TOKEN]: () => [400, "Invalid cursor parameter."],
  [ErrorReason.TOKEN_EXPIRED]: () => [401, "Token expired"],
  [ErrorReason.EVENT_NOT_FOUND]: () => [404, "Event not found"],
  // The caller may see the project, so the cause may be named.
  [ErrorReason.ERROR_TRACKING_DISABLED]: ({ message }) => [404, message],
};
