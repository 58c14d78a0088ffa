import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";

/** An answer of the REST API to a call that failed. */
export interface HttpError {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A parameter that is missing or malformed: the body form is `{"error": "<name> <fault>"}`. */
class ParameterError extends Error implements HttpError {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  get body(): unknown {
    return { error: this.message };
  }
}

export function badParameter(name: string, fault: "is missing" | "is invalid" | "is empty" | "is too large"): Error {
  return new ParameterError(400, `${name} ${fault}`);
}

export function unsupportedType(type: string): Error {
  return new ParameterError(415, `The provided content-type '${type}' is not supported.`);
}

/** The one table of REST answers to the core's refusals (gitlab.md 1.1): `message` for most, `error` for tokens. */
const answers: Partial<Record<ErrorReason, (error: ServiceError) => HttpError>> = {
  [ErrorReason.TOKEN_REQUIRED]: () => ({ status: 401, body: { message: "401 Unauthorized" } }),
  [ErrorReason.TOKEN_EXPIRED]: () =>
    invalidToken("Token is expired. You can either do re-authorization or token refresh."),
  [ErrorReason.TOKEN_REVOKED]: () => invalidToken("Token was revoked. You have to re-authorize from the user."),
  [ErrorReason.INSUFFICIENT_SCOPE]: () => ({
    status: 403,
    body: {
      error: "insufficient_scope",
      error_description: "The request requires higher privileges than provided by the access token.",
      scope: "api",
    },
  }),
  [ErrorReason.FORBIDDEN]: () => ({ status: 403, body: { message: "403 Forbidden" } }),
  [ErrorReason.PROJECT_NOT_FOUND]: () => ({ status: 404, body: { message: "404 Project Not Found" } }),
  [ErrorReason.SETTINGS_NOT_FOUND]: () => ({
    status: 404,
    body: { message: "404 Error Tracking Setting Not Found" },
  }),
  [ErrorReason.CLIENT_KEY_NOT_FOUND]: () => ({ status: 404, body: { message: "404 Not found" } }),
  [ErrorReason.INTEGRATED_NOT_OFFERED]: () => ({ status: 404, body: { message: "404 Not Found" } }),
  [ErrorReason.PROJECT_PATH_TAKEN]: () => ({
    status: 400,
    body: { message: { path: ["has already been taken"] } },
  }),
  [ErrorReason.INVALID_FIELD]: (error) => ({
    status: 400,
    body: { message: `400 Bad request - ${error.message}` },
  }),
  [ErrorReason.EXTERNAL_SETTINGS_INCOMPLETE]: (error) => ({ status: 400, body: { message: error.message } }),
  [ErrorReason.STORAGE_UNAVAILABLE]: (error) => ({
    status: 503,
    body: { message: error.message },
    headers: { "retry-after": "30" },
  }),
};

/** What the REST API answers to anything thrown. */
export function httpError(thrown: unknown): HttpError {
  if (thrown instanceof ParameterError) return thrown;
  const answer = thrown instanceof ServiceError ? answers[thrown.reason] : undefined;
  if (answer && thrown instanceof ServiceError) return answer(thrown);
  return { status: 500, body: { message: "500 Internal Server Error" } };
}

function invalidToken(description: string): HttpError {
  return { status: 401, body: { error: "invalid_token", error_description: description } };
}
