import { type JsonObject } from "@faultline/sentry-event";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { details, head } from "../../support/sentry/sentry-event.ts";

const messages = suite("messages");

const messageShapes: [claim: string, event: JsonObject, formatted: string, template: string][] = [
  ["text", { message: "hi" }, "hi", ""],
  ["formatted alone, as in Java", { message: { formatted: "hi" } }, "hi", ""],
  ["a list of params", { message: { message: "a %s b %d", params: ["x", 2] } }, "a x b 2", "a %s b %d"],
  ["params by name", { logentry: { message: "a %(n)s", params: { n: "x" } } }, "a x", "a %(n)s"],
  ["params in braces", { logentry: { message: "a {} {}", params: ["x", null] } }, "a x null", "a {} {}"],
  ["numbered braces", { logentry: { message: "{1}{0}", params: ["x", "y"] } }, "yx", "{1}{0}"],
  ["named braces", { logentry: { message: "a {n}", params: { n: [1] } } }, "a [1]", "a {n}"],
  ["formatted beside params", { message: { message: "%s", params: ["x"], formatted: "X!" } }, "X!", "%s"],
  ["precision and percent", { message: { message: "%.2f%% %5d", params: [1.005, 3] } }, "1.00% 3", "%.2f%% %5d"],
  ["too few params", { message: { message: "%s %s", params: ["x"] } }, "%s %s", ""],
  ["an unknown conversion", { message: { message: "%z", params: ["x"] } }, "%z", ""],
  ["a literal 100 %", { message: { message: "100 % sure", params: ["x"] } }, "100 % sure", ""],
  ["a percent sign at the end", { message: { message: "100 %", params: ["x"] } }, "100 %", ""],
  ["braces of an unknown name", { message: { message: "{a} {b}", params: { a: 1 } } }, "{a} {b}", ""],
  ["a name every object has", { message: { message: "{toString}", params: {} } }, "{toString}", ""],
  ["params of text", { message: { message: "%s", params: "x" } }, "%s", ""],
  ["no params", { message: { message: "100%" } }, "100%", ""],
  ["false", { message: false }, "", ""],
  ["nothing", { message: "" }, "", ""],
  ["null", { message: null }, "", ""],
  ["an empty object", { message: {} }, "", ""],
  ["a number", { message: 42 }, "42", ""],
  ["a list", { message: ["a", 1] }, '["a",1]', ""],
  ["logentry before message", { logentry: { formatted: "l" }, message: "m" }, "l", ""],
  ["message fills in logentry", { logentry: { message: "%s!" }, message: "m!" }, "m!", "%s!"],
  ["an empty logentry leaves message", { logentry: "", message: "m" }, "m", ""],
  ["the old name", { "sentry.interfaces.Message": { message: "%s", params: [1] } }, "1", "%s"],
];

for (const [claim, event, formatted, template] of messageShapes) {
  messages(`a message may come as ${claim}`, () => {
    for (const { message, messageTemplate } of [head(event), details(event)]) {
      assert.equal([message, messageTemplate], [formatted, template]);
    }
  });
}

messages("a message is cut at 8,192 characters, and between whole characters", () => {
  const { message } = head({ message: `${"x".repeat(8188)}😀😀😀` });
  assert.is(message, `${"x".repeat(8188)}...`);
  assert.ok(message.isWellFormed());
});

messages("one large parameter used often stays small", () => {
  const message = { message: "%(a)s".repeat(1600), params: { a: "x".repeat(900_000) } };
  assert.is(head({ message }).message.length, 8192);
});

messages("what Node 11 sends beside captureMessage is the stack of a message", () => {
  const event = {
    message: "hi",
    platform: "node",
    exception: {
      values: [
        {
          value: "hi",
          mechanism: { synthetic: true },
          stacktrace: { frames: [{ function: "msg", module: "app", in_app: true }] },
        },
      ],
    },
  };
  assert.equal(head(event).exceptions, []);
  assert.is(head(event).frames[0]?.function, "msg");
  assert.is(details(event).title, "hi");
  assert.equal(details(event).exceptions, []);
  assert.is(details(event).threads[0]?.frames[0]?.function, "msg");
});

messages.run();
