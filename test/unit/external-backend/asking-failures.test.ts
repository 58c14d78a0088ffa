import { OutboundFailure, ServiceError, type OutboundFault } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { failureOf, failureOfStatus, isDown, notJson } from "../../../plugins/external-backend/src/calling/failures.ts";
import { InvalidAnswer } from "../../../plugins/external-backend/src/reading/index.ts";

/** The table of recorded messages: what an external system does, and what it is called. */

const now = Date.UTC(2026, 0, 10, 12);

const faults: [OutboundFault, reason: keyof typeof ErrorReason, message: string][] = [
  ["address", "EXTERNAL_ADDRESS_REFUSED", "Sentry request failed due to BlockedUrlError"],
  ["connect_timeout", "EXTERNAL_UNREACHABLE", "Connection to Sentry timed out"],
  ["read_timeout", "EXTERNAL_UNREACHABLE", "Sentry request failed due to ReadTimeout"],
  ["refused", "EXTERNAL_UNREACHABLE", "Connection refused"],
  ["socket", "EXTERNAL_UNREACHABLE", "Received SocketError when trying to connect to Sentry"],
  ["tls", "EXTERNAL_UNREACHABLE", "Sentry returned invalid SSL data"],
  ["protocol", "EXTERNAL_ANSWER_INVALID", "Error when connecting to Sentry"],
  ["too_big", "EXTERNAL_ANSWER_INVALID", "Sentry API response is too big. Limit is 1 MB. Got 1048577 bytes."],
  ["aborted", "EXTERNAL_UNREACHABLE", "Sentry request failed due to ReadTimeout"],
];
for (const [fault, reason, message] of faults) {
  test(`a request that ends in ${fault} is called "${message}"`, () => {
    const failure = failureOf(new OutboundFailure(fault, "10.0.0.7 and secrets", { bytes: 1_048_577 }));
    assert.is(failure.reason, ErrorReason[reason]);
    assert.is(failure.message, message);
    assert.is(isDown(failure), reason === "EXTERNAL_UNREACHABLE");
  });
}

const statuses: [
  status: number,
  reason: keyof typeof ErrorReason | undefined,
  retryAfter?: string | undefined,
  seconds?: number,
][] = [
  [200, undefined],
  [201, undefined],
  [204, undefined],
  [199, "EXTERNAL_ANSWER_INVALID"],
  [205, "EXTERNAL_ANSWER_INVALID"],
  [206, "EXTERNAL_ANSWER_INVALID"],
  [301, "EXTERNAL_ANSWER_INVALID"],
  [304, "EXTERNAL_ANSWER_INVALID"],
  [400, "EXTERNAL_ANSWER_INVALID"],
  [401, "EXTERNAL_TOKEN_REFUSED"],
  [403, "EXTERNAL_TOKEN_REFUSED"],
  [404, "EXTERNAL_ANSWER_INVALID"],
  [418, "EXTERNAL_ANSWER_INVALID"],
  [429, "EXTERNAL_RATE_LIMITED", undefined, 5],
  [429, "EXTERNAL_RATE_LIMITED", "17", 17],
  [429, "EXTERNAL_RATE_LIMITED", "0", 1],
  [429, "EXTERNAL_RATE_LIMITED", "999999999", 300],
  [429, "EXTERNAL_RATE_LIMITED", "9".repeat(400), 5],
  [429, "EXTERNAL_RATE_LIMITED", "-1", 1],
  [429, "EXTERNAL_RATE_LIMITED", "soon", 5],
  [429, "EXTERNAL_RATE_LIMITED", "Sat, 10 Jan 2026 12:02:00 GMT", 120],
  [429, "EXTERNAL_RATE_LIMITED", "Sat, 10 Jan 2015 12:02:00 GMT", 1],
  [429, "EXTERNAL_RATE_LIMITED", "Sat, 10 Jan 2099 12:02:00 GMT", 300],
  [500, "EXTERNAL_UNREACHABLE"],
  [500, "EXTERNAL_UNREACHABLE", "17"],
  [503, "EXTERNAL_UNREACHABLE"],
  [503, "EXTERNAL_RATE_LIMITED", "17", 17],
  [599, "EXTERNAL_UNREACHABLE"],
];
for (const [status, reason, retryAfter, seconds = 0] of statuses) {
  const header = retryAfter === undefined ? "" : ` and Retry-After: ${retryAfter.slice(0, 40)}`;
  test(`the status ${status}${header} is ${reason ?? "a success"}`, () => {
    const failure = failureOfStatus(status, retryAfter === undefined ? {} : { "retry-after": retryAfter }, now);
    assert.is(failure?.reason, reason && ErrorReason[reason]);
    if (!failure) return;
    assert.is(failure.message, `Sentry response status code: ${status}`);
    assert.is(failure.retryAfterSeconds, seconds);
  });
}

test("an answer that cannot be understood keeps its recorded message", () => {
  const failure = failureOf(new InvalidAnswer("Sentry API response is missing keys. It should be a list."));
  assert.is(failure.reason, ErrorReason.EXTERNAL_ANSWER_INVALID);
  assert.is(failure.message, "Sentry API response is missing keys. It should be a list.");
  assert.is(notJson(new SyntaxError("of <html>")).message, "Unexpected Error");
  assert.not(isDown(failure));
});

test("a refusal stays as it is, and what nobody foresaw is our own failure", () => {
  const refusal = new ServiceError(ErrorReason.ERROR_NOT_FOUND, "none");
  assert.is(failureOf(refusal), refusal);
  assert.is(failureOf(new TypeError("x")).reason, ErrorReason.INTERNAL);
});

test.run();
