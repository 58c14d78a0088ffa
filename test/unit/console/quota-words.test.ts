import { test } from "uvu";
import * as assert from "uvu/assert";
import { limitFields, readLimit, readLimitFields } from "../../../console/src/lib/quotas/limit-form.ts";
import { daysThatFit, quotaBar, whatIsKept } from "../../../console/src/lib/quotas/quota-words.ts";

for (const [used, limit, percent, text, state] of [
  [0, 1e9, 0, "0 bytes of 1 GB (0 %)", "fine"],
  [79e7, 1e9, 79, "790 MB of 1 GB (79 %)", "fine"],
  [8e8, 1e9, 80, "800 MB of 1 GB (80 %)", "near"],
  [95e7, 1e9, 95, "950 MB of 1 GB (95 %)", "full"],
  [2e9, 1e9, 100, "2 GB of 1 GB (100 %)", "full"],
  [5e6, 0, undefined, "5 MB, without a limit", "fine"],
] as const) {
  test(`a bar says "${text}"`, () => assert.equal(quotaBar(used, limit), { percent, text, state }));
}

for (const [what, days, limit, words] of [
  ["nothing came", [0, 0, 0], "1000", ""],
  ["there is no limit", [5, 5, 5], "0", ""],
  [
    "something came yesterday alone",
    [0, 0, 50],
    "1000",
    "At the rate of yesterday, the limit holds at least 20 days of events.",
  ],
  [
    "days without events count",
    [0, 100, 0],
    "1000",
    "At the rate of the last 2 days, the limit holds at least 20 days of events.",
  ],
  ["one day fits", [1000], "1500", "At the rate of yesterday, the limit holds at least 1 day of events."],
  ["less than a day fits", [1000], "500", "At the rate of yesterday, the limit holds less than a day of events."],
  ["all fit", [1], "1000", "At the rate of yesterday, the limit holds all 90 days of events."],
] as const) {
  test(`days that fit, when ${what}`, () => {
    assert.is(daysThatFit({ bytesPerDay: days.map(String), keptLimitBytes: limit }), words);
  });
}

const form = (fields: Readonly<Record<string, string>>) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
};

for (const [bytes, isOwn, fields] of [
  [20_000_000_000n, true, { choice: "own", amount: "20", unit: "GB" }],
  [1_500_000_000n, true, { choice: "own", amount: "1500", unit: "MB" }],
  [1_234_567n, true, { choice: "own", amount: "1234567", unit: "bytes" }],
  [0n, true, { choice: "none", amount: "", unit: "GB" }],
  [5_000_000n, false, { choice: "default", amount: "", unit: "GB" }],
] as const) {
  test(`${bytes} bytes in a form: ${fields.choice} ${fields.amount} ${fields.unit}`, () => {
    assert.equal(limitFields(bytes, isOwn), fields);
  });
}

for (const [choice, amount, unit, limit] of [
  ["default", "5", "GB", "default"],
  ["none", "5", "GB", { bytes: "0" }],
  ["own", "20", "GB", { bytes: "20000000000" }],
  ["own", "1234567", "bytes", { bytes: "1234567" }],
  ["own", "-5", "GB", "fault"],
  ["own", "1.5", "GB", "fault"],
  ["own", "many", "GB", "fault"],
  ["own", "", "GB", "fault"],
  ["constructor", "5", "light years", "default"],
] as const) {
  test(`the form ${choice} ${amount} ${unit} asks for ${JSON.stringify(limit)}`, () => {
    const read = readLimit(readLimitFields(form({ day_choice: choice, day_amount: amount, day_unit: unit }), "day"));
    if (limit !== "fault") return assert.equal(read, limit);
    assert.match((read as { fault: string }).fault, /^Enter the limit as a whole number/);
  });
}

test("a page says what a project keeps besides events, and nothing if there is nothing else", () => {
  const parts = (events: number, maps: number) => ({
    keptParts: [
      { name: "events", bytes: String(events) },
      { name: "source-maps", bytes: String(maps) },
      { name: "release-records", bytes: "0" },
    ],
  });
  assert.is(whatIsKept(parts(5e6, 3e8)), "5 MB of events, 300 MB of uploads of source maps");
  assert.is(whatIsKept(parts(5e6, 0)), "");
});

test.run();
