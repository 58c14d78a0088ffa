import { test } from "uvu";
import * as assert from "uvu/assert";
import type { ErrorBreakdown } from "../../../console/src/lib/messages.ts";
import {
  countText,
  scopeText,
  shareText,
  unusualValues,
  userLabel,
} from "../../../console/src/lib/breakdown/shares.ts";

const value = (name: string, eventCount: number, usualShare?: number) => ({ value: name, eventCount, usualShare });
const tag = (key: string, eventCount: number, ...values: ReturnType<typeof value>[]) => ({
  key,
  eventCount,
  valueCount: values.length,
  searchable: true,
  values,
});

test("unusual are the values that differ most, one of each key, at most three", () => {
  const found = unusualValues([
    tag("browser", 100, value("Safari", 92, 0.18), value("Firefox", 8, 0)),
    tag("plan", 100, value("gold", 60, 0.1), value("free", 40, 0.1)),
    tag("region", 10, value("eu", 9, 0.5)),
    tag("os", 100, value("iOS", 100, 0.1)),
  ]);
  assert.equal(
    found.map(({ key, value: name, share, usualShare }) => [key, name, share, usualShare]),
    [
      ["os", "iOS", 1, 0.1],
      ["browser", "Safari", 0.92, 0.18],
      ["plan", "gold", 0.6, 0.1],
    ],
  );
});

const nothing: [because: string, of: ReturnType<typeof tag>][] = [
  ["the usual share is not known", tag("a", 100, value("x", 100))],
  ["it is as usual", tag("a", 100, value("x", 50, 0.45))],
  ["it is rarer than usual", tag("a", 100, value("x", 5, 0.9))],
  ["four events may be chance", tag("a", 4, value("x", 4, 0))],
];

for (const [because, of] of nothing) {
  test(`nothing is unusual where ${because}`, () => assert.equal(unusualValues([of]), []));
}

for (const [share, text] of [
  [1, "100\u00a0%"],
  [0.999, "99\u00a0%"],
  [0.29, "29\u00a0%"],
  [0.001, "< 1\u00a0%"],
  [0, "0\u00a0%"],
] as const) {
  test(`the share ${share} reads ${text}`, () => assert.is(shareText(share), text));
}

test("a user is called by e-mail address, username, and otherwise as counted", () => {
  const names = { id: "7", username: "", email: "", ipAddress: "", data: undefined };
  assert.is(
    userLabel({ user: "id:7", names: { ...names, username: "ann", email: "ann@example.com" } }),
    "ann@example.com",
  );
  assert.is(userLabel({ user: "id:7", names: { ...names, username: "ann" } }), "ann");
  assert.is(userLabel({ user: "id:7", names }), "id:7");
  assert.is(userLabel({ user: "id:7" }), "id:7");
});

const counts = { examinedEventCount: 40, searchedEventCount: 0, eventCount: 40 };
for (const [numbers, text, six] of [
  [{}, "", "6"],
  [{ eventCount: 39_994, examinedEventCount: 1_000 }, "A sample: the newest 1,000 of 39,994 events.", "< 1\u00a0%"],
  [{ examinedEventCount: 12, searchedEventCount: 40 }, "Of 40 events, 12 match the search.", "6"],
  [{ examinedEventCount: 1, searchedEventCount: 40 }, "Of 40 events, 1 matches the search.", "6"],
  [
    { eventCount: 39_994, examinedEventCount: 12, searchedEventCount: 1_000 },
    "A sample: of the newest 1,000 of 39,994 events, 12 match the search.",
    "50\u00a0%",
  ],
] as const) {
  test(`a breakdown says ${text || "nothing where it counts all events"}, and of six events ${six}`, () => {
    const breakdown = { ...counts, ...numbers } as ErrorBreakdown;
    assert.is(scopeText(breakdown), text);
    assert.is(countText(breakdown, 6), six);
  });
}

test.run();
