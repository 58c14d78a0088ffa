import {
  JsonTooLarge,
  parseForeignJson,
  type Clock,
  type ExternalTarget,
  type Outbound,
  type ServiceError,
} from "@faultline/plugin";
import type { JsonValue } from "@faultline/sentry-event";
import type { Answer } from "./answer-memory.ts";
import { failureOf, failureOfStatus, footprintTooBig, maxBodyBytes, notJson } from "./failures.ts";

/** A request to an external system. */
export interface Send {
  readonly method: "GET" | "PUT";
  readonly url: string;
  /** As JSON. */
  readonly body?: string;
  /** The refusal that a 404 becomes. */
  readonly missing?: () => ServiceError;
}

/**
 * Time for one request, from the name lookup to the last byte. The original gives a background job 30 s; here a person
 * waits, ten seconds in all, and a request that takes all of them would look like a caller that left.
 */
const requestMs = 8_000;

/** Sends a request with the token. Refuses with one of the recorded messages unless the status is 200 to 204. */
export async function send(
  { outbound, clock }: { readonly outbound: Outbound; readonly clock: Clock },
  { method, url, body, missing }: Send,
  { token }: ExternalTarget,
  signal: AbortSignal,
): Promise<Answer> {
  const answer = await outbound
    .request({
      method,
      url,
      headers: {
        Authorization: `Bearer ${token}`,
        Accept: "application/json",
        "Content-Type": "application/json",
        "User-Agent": "faultline",
      },
      ...(body !== undefined && { body }),
      maxBytes: maxBodyBytes,
      timeoutMs: requestMs,
      signal,
    })
    .catch((thrown: unknown) => {
      throw failureOf(thrown);
    });
  if (answer.status === 404 && missing) throw missing();
  const failure = failureOfStatus(answer.status, answer.headers, clock.now());
  if (failure) throw failure;
  return { body: answer.body, headers: answer.headers, readAt: clock.now() };
}

/** A body as JSON. Refuses a body that is not JSON or would take too much memory. */
export function parsed(body: Buffer): JsonValue {
  try {
    return parseForeignJson(body) as JsonValue; // JSON of any shape, read field by field
  } catch (error) {
    throw error instanceof JsonTooLarge ? footprintTooBig() : notJson(error);
  }
}
