import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  externalFailure,
  isExternalFailure,
  type ExternalFailure,
} from "../../../console/src/lib/failures/external-failure.ts";
import { refusal } from "../../../console/src/lib/failures/refusal.server.ts";

const failures = suite("failures of the external system");

const all: readonly ExternalFailure[] = [
  "EXTERNAL_ADDRESS_REFUSED",
  "EXTERNAL_UNREACHABLE",
  "EXTERNAL_TOKEN_REFUSED",
  "EXTERNAL_RATE_LIMITED",
  "EXTERNAL_ANSWER_INVALID",
  "EXTERNAL_SETTINGS_INCOMPLETE",
];
const recorded = "Sentry response status code: 503";

for (const failure of all) {
  for (const maintains of [true, false]) {
    failures(`${failure} shows ${maintains ? "a maintainer" : "others"} what happened, why and what to do`, () => {
      const message = "The auth token for the external system is missing. A maintainer can enter it.";
      const { title, text, remedy } = externalFailure(failure, { address: "", maintains, message });
      for (const sentence of [title, text]) assert.match(sentence, /^[A-Z].*\.$/);
      assert.ok(remedy.length > 0);
      assert.not.match(title + text, /Sentry|undefined/);
      if (!maintains) assert.not.match(text, /Enter|FAULTLINE_/, "others cannot do that");
    });
  }

  failures(`${failure} is never reported as a fault of the service`, () => {
    assert.ok(isExternalFailure(failure));
    const { status, message } = refusal(failure, recorded);
    assert.ok(status >= 400 && status < 500, String(status));
    assert.ok(message.length > 0);
  });
}

failures("the address is named to those who may know it", () => {
  const known = { address: "https://ext.example", maintains: true, message: "" };
  assert.is(externalFailure("EXTERNAL_UNREACHABLE", known).title, "Could not reach https://ext.example.");
  const others = { address: "", maintains: false, message: "" };
  assert.is(externalFailure("EXTERNAL_UNREACHABLE", others).title, "Could not reach the external system.");
});

failures("an address that is refused names what an operator can set", () => {
  const { text } = externalFailure("EXTERNAL_ADDRESS_REFUSED", { address: "", maintains: true, message: "" });
  assert.match(text, "FAULTLINE_OUTBOUND_NETWORKS");
  assert.match(text, "FAULTLINE_OUTBOUND_PORTS");
});

failures("the service's own message goes along for the administrator, but is not the sentence", () => {
  const { message, detail } = refusal("EXTERNAL_UNREACHABLE", recorded);
  assert.is(detail, recorded);
  assert.not.match(message, "Sentry");
});

failures("the message of any other refusal does not go along twice", () => {
  assert.is(refusal("FORBIDDEN", "You may not.").detail, "");
  assert.is(refusal("INTERNAL", "at core.ts:12").detail, "");
});

const waits: [seconds: number, message: string][] = [
  [0, "The external system limits requests. Try again in a moment."],
  [1, "The external system limits requests. Try again in 1 s."],
  [119, "The external system limits requests. Try again in 119 s."],
  [120, "The external system limits requests. Try again in 2 min."],
  [121, "The external system limits requests. Try again in 3 min."],
];
for (const [retryAfterSeconds, message] of waits) {
  failures(`a limit of ${retryAfterSeconds} s reads: ${message}`, () => {
    const answer = refusal("EXTERNAL_RATE_LIMITED", "Sentry response status code: 429", { retryAfterSeconds });
    assert.is(answer.message, message);
    assert.is(answer.retryAfterSeconds, retryAfterSeconds);
  });
}

failures.run();
