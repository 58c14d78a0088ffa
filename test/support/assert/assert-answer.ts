import * as assert from "uvu/assert";
import type { HttpAnswer } from "../http/http.ts";

/** Asserts that a call is answered with this status and, where one is given, exactly this body. */
export async function assertAnswer(answer: Promise<HttpAnswer>, status: number, body?: unknown): Promise<void> {
  const { json } = await answered(answer, status);
  if (body !== undefined) assert.equal(json, body);
}

/** The answer to a call, which must have this status. */
export async function answered(answer: Promise<HttpAnswer>, status: number): Promise<HttpAnswer> {
  const got = await answer;
  assert.is(got.status, status, got.text);
  return got;
}
