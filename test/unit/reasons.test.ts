import { ServiceError } from "@faultline/plugin";
import { answerTo, ErrorReason, ReasonAnswer_Code as Code } from "@faultline/proto";
import { status as grpcStatus } from "@grpc/grpc-js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { refusal as pageRefusal } from "../../console/src/lib/failures/refusal.server.ts";
import { httpError } from "../../plugins/http-bridge/src/rest/http-error.ts";
import { refusal as sentryRefusal } from "../../plugins/sentry-api/src/routes.ts";

const reasons = suite("answers to reasons");

const all = Object.entries(ErrorReason).map(([name, reason]) => ({ name, reason, answer: answerTo(reason) }));

reasons("have the codes of gRPC, with gRPC's names and numbers", () => {
  for (const [name, number] of Object.entries(Code)) {
    if (number !== Code.UNSPECIFIED) assert.is(grpcStatus[number], name);
  }
  for (const { name, answer } of all) assert.ok(answer.code !== Code.UNSPECIFIED, name);
});

reasons("are INTERNAL's for a number that is not a reason", () => {
  assert.equal(answerTo(9999 as ErrorReason), answerTo(ErrorReason.INTERNAL));
});

reasons("are refusals to SDKs for keys, limits and what may pass, with the same status as over REST", () => {
  assert.equal(
    all.filter(({ answer }) => answer.ingestion).map(({ name, answer }) => [name, answer.httpStatus]),
    [
      ["CLIENT_KEY_REFUSED", 403],
      ["STORAGE_UNAVAILABLE", 503],
      ["OVERLOADED", 503],
      ["QUOTA_REACHED", 429],
    ],
  );
});

reasons("have a noun where something was not found, which ends no sentence", () => {
  for (const { name, answer } of all.filter((one) => one.answer.noun !== "")) {
    assert.is(answer.code, Code.NOT_FOUND, name);
    assert.match(answer.noun, /^[A-Z][A-Za-z ]+$/);
  }
});

reasons("have a sentence of the console that says what happened", () => {
  for (const { answer } of all) if (answer.sentence !== "") assert.match(answer.sentence, /^[A-Z].+\.$/);
});

/** Each interface's answer to a reason: the code over gRPC, REST, Sentry's API, a page of the console. */
const answers: readonly (readonly [keyof typeof ErrorReason, Code, rest: unknown, sentry: unknown, page: unknown])[] = [
  [
    "PROJECT_NOT_FOUND",
    Code.NOT_FOUND,
    [404, "404 Project Not Found"],
    [404, "The requested resource does not exist"],
    [404, "This page does not exist, or you do not have access to it."],
  ],
  [
    "FORBIDDEN",
    Code.PERMISSION_DENIED,
    [403, "403 Forbidden"],
    [403, "You do not have permission to perform this action."],
    [403, "Said."],
  ],
  ["LIMIT_REACHED", Code.FAILED_PRECONDITION, [400, "Said."], [400, "Said."], [409, "Said."]],
  ["UNDO_OVER", Code.FAILED_PRECONDITION, [409, "Said."], [409, "Said."], [409, "Said."]],
  ["READ_TOO_EXPENSIVE", Code.RESOURCE_EXHAUSTED, [422, "Said."], [422, "Said."], [422, "Said."]],
  [
    "NOT_SUPPORTED_BY_BACKEND",
    Code.UNIMPLEMENTED,
    [400, "Said."],
    [400, "Said."],
    [501, "The external system does not offer this."],
  ],
  [
    "EXTERNAL_UNREACHABLE",
    Code.UNAVAILABLE,
    [502, "Said."],
    [404, "The requested resource does not exist"],
    [409, "The external system cannot be reached now. Try again in a moment."],
  ],
  [
    "MONITOR_DISABLED",
    Code.FAILED_PRECONDITION,
    [404, "404 Not Found - Said."],
    [404, "Said."],
    [404, "Monitor is turned off for this project. A maintainer can turn it on in Settings > General."],
  ],
  [
    "ERROR_TRACKING_DISABLED",
    Code.FAILED_PRECONDITION,
    [400, "Said."],
    [404, "Said."],
    [404, "Error tracking is not active for this project."],
  ],
  [
    "OVERLOADED",
    Code.UNAVAILABLE,
    [503, "Said.", "30"],
    [503, "Said.", "30"],
    [503, "The service is busy. Try again in a moment."],
  ],
  [
    "INTERNAL",
    Code.INTERNAL,
    [500, "500 Internal Server Error"],
    [500, "Internal Error"],
    [500, "Something went wrong on our side."],
  ],
];

for (const [name, code, rest, sentry, page] of answers) {
  reasons(`are derived for ${name}`, () => {
    const error = new ServiceError(ErrorReason[name], "Said.");
    const { status, body, headers = {} } = httpError(error);
    const fromSentry = sentryRefusal(error);
    const onPage = pageRefusal(name, "Said.");
    assert.is(answerTo(error.reason).code, code);
    assert.equal([status, body["message"], ...Object.values(headers)], rest);
    assert.equal(
      [fromSentry.status, ...Object.values(fromSentry.body as object), ...Object.values(fromSentry.headers ?? {})],
      sentry,
    );
    assert.equal([onPage.status, onPage.message], page);
  });
}

reasons.run();
