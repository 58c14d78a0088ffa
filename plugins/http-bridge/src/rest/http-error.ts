import { ServiceError } from "@faultline/plugin";
import { ParameterFault } from "@faultline/plugin/rest";
import { answerTo, ErrorReason } from "@faultline/proto";
import { reasonName } from "@faultline/proto/grpc";

/**
 * The REST API's answer to a failed call. Its body has the form of the original, plus `reason`: a stable word for
 * programs.
 */
export interface HttpError {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export function unsupportedType(type: string): Error {
  return new ParameterFault(415, `The provided content-type '${type}' is not supported.`);
}

/** The reasons that only REST has; all others come from gRPC (error_reason.proto). */
export const restReasons = ["UNSUPPORTED_TYPE", "METHOD_NOT_ALLOWED", "ADDRESS_NOT_FOUND", "REMOVED"] as const;

/** A refusal of the request itself. Uses `error` or `message`, like the original for this status. */
export function refusedRequest(
  status: number,
  reason: (typeof restReasons)[number] | "INVALID_FIELD",
  said: { readonly error: string } | { readonly message: string },
): HttpError {
  return { status, body: { ...said, reason } };
}

/** The REST answer to any thrown value. */
export function httpError(thrown: unknown): HttpError {
  if (thrown instanceof ParameterFault) {
    const { status, message } = thrown;
    return refusedRequest(status, status === 415 ? "UNSUPPORTED_TYPE" : "INVALID_FIELD", { error: message });
  }
  const error = ServiceError.from(thrown);
  const { httpStatus: status, retryAfterSeconds: usual } = answerTo(error.reason);
  const formed = platformForms[error.reason]?.(error) ?? { body: { message: messageFor(error) } };
  const retryAfterSeconds = error.retryAfterSeconds || usual;
  return {
    status,
    ...formed,
    body: { ...formed.body, reason: reasonName(error.reason) },
    ...(retryAfterSeconds > 0 && { headers: { "retry-after": String(retryAfterSeconds) } }),
  };
}

/** Fixed words for HTTP statuses, because the error's own sentence might reveal too much. */
const guarded: Readonly<Record<number, string>> = {
  401: "401 Unauthorized",
  403: "403 Forbidden",
  500: "500 Internal Server Error",
};

function messageFor({ reason, message }: ServiceError): string {
  const { httpStatus, noun } = answerTo(reason);
  return noun === "" ? (guarded[httpStatus] ?? message) : `404 ${noun} Not Found`;
}

type Form = (error: ServiceError) => Pick<HttpError, "body"> & { readonly status?: number };

/**
 * Reasons for which clients of the platform's API rely on a different form (gitlab.md 1.1): mostly `message`, `error`
 * for tokens.
 */
const platformForms: Partial<Record<ErrorReason, Form>> = {
  [ErrorReason.INVALID_FIELD]: ({ message }) => ({ body: { message: `400 Bad request - ${message}` } }),
  [ErrorReason.INVALID_PAGE_TOKEN]: () => ({ body: { error: "cursor is invalid" } }),
  [ErrorReason.TOKEN_EXPIRED]: invalidToken("Token is expired. You can either do re-authorization or token refresh."),
  [ErrorReason.TOKEN_REVOKED]: invalidToken("Token was revoked. You have to re-authorize from the user."),
  [ErrorReason.INSUFFICIENT_SCOPE]: () => ({
    body: {
      error: "insufficient_scope",
      error_description: "The request requires higher privileges than provided by the access token.",
      scope: "api",
    },
  }),
  [ErrorReason.PROJECT_PATH_TAKEN]: () => ({ status: 400, body: { message: { path: ["has already been taken"] } } }),
  [ErrorReason.CLIENT_KEY_NOT_FOUND]: () => ({ body: { message: "404 Not found" } }),
  [ErrorReason.NOT_FOUND]: notFoundBecause,
  // The platform also answers 404 to both, and does not say why (gitlab.md 1.3, 6.1).
  [ErrorReason.MONITOR_DISABLED]: notFoundBecause,
  [ErrorReason.INTEGRATED_NOT_OFFERED]: notFoundBecause,
  [ErrorReason.USERNAME_TAKEN]: ({ field }) => ({
    body: { message: `${field === "email" ? "Email" : "Username"} has already been taken` },
  }),
  [ErrorReason.MEMBER_EXISTS]: () => ({ body: { message: "Member already exists" } }),
};

function notFoundBecause({ message }: ServiceError): ReturnType<Form> {
  return { body: { message: `404 Not Found - ${message}` } };
}

function invalidToken(description: string): Form {
  return () => ({ body: { error: "invalid_token", error_description: description } });
}
