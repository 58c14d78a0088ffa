import { ServiceError } from "@faultline/plugin";
import { badParameter } from "@faultline/plugin/rest";
import { ErrorReason } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { reasonName } from "@faultline/proto/grpc";
import { httpError } from "../../plugins/http-bridge/src/rest/http-error.ts";

const sentence = "What happened, and what to do.";
const answerTo = (reason: ErrorReason, field = "") => httpError(new ServiceError(reason, sentence, { field }));

test("every reason has its own answer, and only our own failures are answered 500", () => {
  const failures = Object.values(ErrorReason).filter((reason) => answerTo(reason).status === 500);
  assert.equal(failures, [ErrorReason.UNSPECIFIED, ErrorReason.INTERNAL]);
});

test("every answer is a message, or an error with what describes it, and has the reason of gRPC", () => {
  for (const [name, reason] of Object.entries(ErrorReason)) {
    const { body } = answerTo(reason);
    assert.ok(["message", "error"].includes(Object.keys(body)[0] ?? ""), name);
    assert.is(body["reason"], name);
  }
});

const exact: [reason: ErrorReason, status: number, body: object, field?: string][] = [
  [ErrorReason.TOKEN_REQUIRED, 401, { message: "401 Unauthorized" }],
  [ErrorReason.FORBIDDEN, 403, { message: "403 Forbidden" }],
  [ErrorReason.PROJECT_NOT_FOUND, 404, { message: "404 Project Not Found" }],
  [ErrorReason.CLIENT_KEY_NOT_FOUND, 404, { message: "404 Not found" }],
  [ErrorReason.USER_NOT_FOUND, 404, { message: "404 User Not Found" }],
  [ErrorReason.PROJECT_PATH_TAKEN, 400, { message: { path: ["has already been taken"] } }],
  [ErrorReason.USERNAME_TAKEN, 409, { message: "Username has already been taken" }, "username"],
  [ErrorReason.USERNAME_TAKEN, 409, { message: "Email has already been taken" }, "email"],
  [ErrorReason.MEMBER_EXISTS, 409, { message: "Member already exists" }],
  [ErrorReason.LIMIT_REACHED, 400, { message: sentence }],
  [ErrorReason.SETTINGS_CHANGED, 409, { message: sentence }],
  [ErrorReason.INVALID_FIELD, 400, { message: `400 Bad request - ${sentence}` }],
  [ErrorReason.INVALID_PAGE_TOKEN, 400, { error: "cursor is invalid" }],
  [ErrorReason.STORAGE_UNAVAILABLE, 503, { message: sentence }],
];

for (const [reason, status, body, field] of exact)
  test(`reason ${reason}${field ? ` of ${field}` : ""} is answered ${status} ${JSON.stringify(body)}`, () => {
    const answer = answerTo(reason, field);
    assert.is(answer.status, status);
    assert.equal(answer.body, { ...body, reason: reasonName(reason) });
  });

test("refusals that may pass by themselves say when to try again", () => {
  for (const reason of [ErrorReason.STORAGE_UNAVAILABLE, ErrorReason.OVERLOADED, ErrorReason.TOO_MANY_ATTEMPTS])
    assert.match(String(answerTo(reason).headers?.["retry-after"]), /^\d+$/);
});

test("unexpected errors are answered 500 without a word about them", () => {
  assert.equal(httpError(new TypeError("secret detail")), {
    status: 500,
    body: { message: "500 Internal Server Error", reason: "INTERNAL" },
  });
});

test("a parameter at fault is named", () => {
  const { status, body } = httpError(badParameter("per_page", "is invalid"));
  assert.is(status, 400);
  assert.equal(body, { error: "per_page is invalid", reason: "INVALID_FIELD" });
});

test.run();
