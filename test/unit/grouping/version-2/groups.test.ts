import { readFileSync } from "node:fs";
import { join } from "node:path";
import { explainGroup, groupParts } from "@faultline/sentry-event";
import { suite } from "uvu";
import * as assert from "uvu/assert";
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

groups.run();

const reasons = suite("why an event is in its group");

reasons("each part that counted, and those that did not, in words", () => {
  const event = thrown("python", [
    { module: "shop", function: "main" },
    { module: "shop", function: "main" },
    { module: "django.core", function: "call", in_app: false },
    { module: "shop", function: "<lambda>", context_line: "  raise  No()" },
  ]);
  assert.equal(
    explainGroup(head(event)).map(({ what, text, counted }) => [what, text, counted]),
    [
      ["type", "E", true],
      ["frame", "shop in main", true],
      ["frame", "shop in main", false],
      ["frame", "django.core in call", false],
      ["frame", "shop in <lambda>", true],
      ["line", "raise No()", true],
      ["value", "x", false],
    ],
  );
});

reasons("a fingerprint, a rule and a message say what they stand for", () => {
  const whys = (event: Parameters<typeof head>[0]) => explainGroup(head(event)).map(({ why }) => why);
  assert.equal(whys({ fingerprint: ["{{ level }}", "a"], level: "fatal" }), [
    "The application chose it. It stands for fatal",
    "The application chose it.",
  ]);
  assert.match(whys(thrown("javascript", [], { type: "ChunkLoadError" }))[0] ?? "", /could not be loaded/);
  assert.equal(whys({ message: "user 17 is gone" }), ["The message counts, without what varies: user <int> is gone"]);
});

reasons("asking changes nothing", () => {
  for (const { events } of [...listed, ...kinds])
    for (const event of events.map((one) => head(one)))
      assert.equal(groupParts(event, { notes: [] }), groupParts(event));
});

reasons.run();
