import * as assert from "uvu/assert";
import type { HttpAnswer } from "../http/http.ts";

/**
 * Asserts the status of an answer and, if `body` is given, the exact body. Ignores the `reason` of a refusal, because
 * test/unit/http-error.test.ts and test/flow/rest/requests.test.ts check reasons.
 */
export async function assertAnswer(answer: Promise<HttpAnswer>, status: number, body?: unknown): Promise<void> {
  const { json } = await answered(answer, status);
  if (body === undefined) return;
  assert.equal(status < 400 ? json : withoutReason(json), withoutReason(body));
}

/** The body of a refusal of REST without its reason. */
export function withoutReason(json: unknown): unknown {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return json;
  const { reason: _, ...rest } = json as Readonly<Record<string, unknown>>; // checked above
  return rest;
}

/** The answer to a call. Fails if the status differs. */
export async function answered(answer: Promise<HttpAnswer>, status: number): Promise<HttpAnswer> {
  const got = await answer;
  assert.is(got.status, status, got.text);
  return got;
}
