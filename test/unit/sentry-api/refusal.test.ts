import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { refusal } from "../../../plugins/sentry-api/src/routes.ts";

const reasons = Object.entries(ErrorReason);

test("there are reasons to answer", () => assert.ok(reasons.length > 40));

for (const [name, reason] of reasons) {
  test(`${name} is answered in the form of the original`, () => {
    const { status, body, headers } = refusal(new ServiceError(reason, "A sentence of the core.", { cause: "secret" }));
    assert.ok(status >= 400 && status <= 503, String(status));
    assert.equal(Object.keys(body as object), ["detail"]);
    assert.not.match(JSON.stringify(body), "secret");
    assert.is(headers !== undefined, status === 429 || status === 503);
  });
}

test("the answer hides what failed here, and says in the core's words what was refused", () => {
  const detail = (reason: ErrorReason) => refusal(new ServiceError(reason, "A sentence of the core.")).body;
  assert.equal(detail(ErrorReason.INTERNAL), { detail: "Internal Error" });
  assert.equal(detail(ErrorReason.INVALID_FIELD), { detail: "A sentence of the core." });
});

test("the answer to a caller who shall try again says when", () => {
  const after = (seconds?: number) =>
    refusal(new ServiceError(ErrorReason.STORAGE_UNAVAILABLE, "Later.", { retryAfterSeconds: seconds ?? 0 })).headers;
  assert.equal(after(7), { "Retry-After": "7" });
  assert.equal(after(), { "Retry-After": "30" });
});

test("a missing project, error and client key look the same, and so do a low role and a weak token", () => {
  const answer = (reason: ErrorReason) => refusal(new ServiceError(reason, `${reason}`));
  assert.equal(answer(ErrorReason.PROJECT_NOT_FOUND), answer(ErrorReason.ERROR_NOT_FOUND));
  assert.equal(answer(ErrorReason.FORBIDDEN), answer(ErrorReason.INSUFFICIENT_SCOPE));
});

test.run();
