import { readFileSync } from "node:fs";
import { join } from "node:path";
import { explainGroup, groupParts, hideSecrets } from "@faultline/sentry-event";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { threadMs } from "../../../support/service/thread-time.ts";
import { head } from "../../../support/sentry/sentry-event.ts";
import { kinds, thrown, type Kind } from "./kinds.ts";

const groups = suite("errors of version 2");

const listed = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../fixtures/grouping/groups.json"), "utf8"),
) as readonly Kind[];

for (const { name, errors, events } of [...listed, ...kinds]) {
  groups(`${name}: ${errors}`, () => {
    const groupsOf = events.map((event) => groupParts(head(event)).join(" | "));
    assert.is(new Set(groupsOf).size, errors, groupsOf.join("\n"));
  });
}

groups("fifty groups in each other are read in no time, and are the error of the exception within", () => {
  const nested = (count: number) => ({
    platform: "python",
    exception: {
      values: Array.from({ length: count }, (_, n) => ({
        type: n === 0 ? "ValueError" : "ExceptionGroup",
        value: "x",
        mechanism: {
          type: "chained",
          exception_id: count - n - 1,
          ...(n < count - 1 && { parent_id: count - n - 2, source: "exceptions[0]" }),
          is_exception_group: n > 0,
        },
      })),
    },
  });
  const time = threadMs(() => {
    assert.equal(groupParts(head(nested(50))), groupParts(head(nested(1))));
    assert.is(explainGroup(head(nested(50))).reasons.filter(({ what }) => what === "exception").length, 49);
  });
  assert.ok(time < 1_000, `${time} ms`);
});

groups.run();

const reasons = suite("why an event is in its group");

const told = (event: Parameters<typeof head>[0]) =>
  explainGroup(head(event)).reasons.map(({ what, text, counted, countedAs }) => [what, text, counted, countedAs]);

reasons("each part that counted, and those that did not, in words", () => {
  const event = thrown("python", [
    { module: "shop", function: "main" },
    { module: "shop", function: "main" },
    { module: "django.core", function: "call", in_app: false },
    { module: "shop", function: "<lambda>", context_line: "  raise   No()" },
  ]);
  assert.equal(told(event), [
    ["platform", "python", true, ""],
    ["type", "E", true, ""],
    ["frame", "shop in main", true, ""],
    ["frame", "shop in main", false, ""],
    ["frame", "django.core in call", false, ""],
    ["frame", "shop in <lambda>", true, "shop"],
    ["line", "raise   No()", true, "raise No()"],
    ["value", "x", false, ""],
  ]);
});

reasons("a fingerprint, a rule and a message say what they stand for", () => {
  assert.equal(told({ fingerprint: ["{{ level }}", "a"], level: "fatal", message: "out of memory" }), [
    ["message", "out of memory", false, ""],
    ["fingerprint", "{{ level }}", true, "fatal"],
    ["fingerprint", "a", true, ""],
  ]);
  const [rule] = explainGroup(head(thrown("javascript", [], { type: "ChunkLoadError" }))).reasons;
  assert.match(rule?.why ?? "", /could not be loaded/);
  assert.equal(told({ message: "user 17 is gone" }), [
    ["platform", "other", true, ""],
    ["message", "user 17 is gone", true, "user <int> is gone"],
  ]);
});

reasons("exceptions that say nothing leave the message alone", () => {
  const event = { platform: "node", exception: { values: [{ type: "", value: "" }] }, message: "gone" };
  assert.equal(told(event), [
    ["platform", "node", true, ""],
    ["message", "gone", true, ""],
  ]);
});

reasons("what counted is what the hash is made of", () => {
  for (const { events } of [...listed, ...kinds])
    for (const event of events.map((one) => head(one))) {
      const { parts, reasons: given } = explainGroup(event);
      const hashed = parts.join("\u001f");
      for (const { part, what } of given) if (part !== "") assert.ok(hashed.includes(part), `${what} ${part}`);
      assert.ok(given.some(({ counted }) => counted));
    }
});

reasons("secrets are hidden before a text is shortened or put into its form", () => {
  const secret = "hunter2-of-the-house";
  const address = `postgres://shop:${secret}@db/shop`;
  const at = (length: number) => `${"x".repeat(length)} ${address}`;
  const events = [
    { message: at(180) },
    { message: "Authorization: Bearer 12-of-the-house-secret" },
    { fingerprint: ["{{ message }}", "{{ value }}", address], exception: { values: [{ type: "E", value: at(190) }] } },
    thrown("python", [{ module: "shop", function: "pay", context_line: `  connect("${"y".repeat(80)} ${address}")` }]),
    thrown("javascript", [{ filename: `https://shop:${secret}@example.com/app.js`, function: "pay" }]),
    thrown("node", [], { type: "E", value: at(170) }),
  ];
  for (const event of events) {
    const shown = explainGroup(head(event), hideSecrets).reasons.map(({ text, countedAs }) => `${text} ${countedAs}`);
    assert.is(/\S*(?:hunter2|of-the-house).*/.exec(shown.join("\n"))?.[0], undefined);
    assert.equal(explainGroup(head(event), hideSecrets).parts, groupParts(head(event)));
  }
});

reasons("asking changes nothing", () => {
  for (const { events } of [...listed, ...kinds])
    for (const event of events.map((one) => head(one))) assert.equal(explainGroup(event).parts, groupParts(event));
});

reasons.run();
