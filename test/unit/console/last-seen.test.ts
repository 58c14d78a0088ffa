import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  isActiveThisHour,
  labelledAsOf,
  lastSeenLabel,
  settledLastSeen,
  startOfHour,
} from "../../../console/src/lib/time/last-seen.ts";

const day = (time: string) => Date.parse(`2026-09-30T${time}Z`);

const label = suite("last-seen label");

const labels: [settled: string | null, now: string, text: string][] = [
  ["14:20:00", "15:00:00", "40 minutes ago"],
  ["14:20:00", "15:59:59.999", "40 minutes ago"],
  ["14:20:00", "16:00:00", "1 hour ago"],
  ["14:20:00", "17:30:00", "2 hours ago"],
  ["14:00:00", "15:00:00", "1 hour ago"],
  ["14:00:01", "15:00:00", "59 minutes ago"],
  ["14:59:59.999", "15:00:00", "1 minute ago"],
  ["15:00:00", "15:00:00", "less than an hour ago"],
  ["15:10:00", "15:59:00", "less than an hour ago"],
  ["18:00:00", "15:59:00", "less than an hour ago"],
  [null, "15:30:00", "less than an hour ago"],
];

for (const [settled, now, text] of labels) {
  label(`${settled ?? "no settled event"} reads "${text}" at ${now}`, () => {
    assert.is(lastSeenLabel(settled === null ? null : day(settled), day(now)), text);
  });
}

label("the label is constant through the hour and changes with the hour only", () => {
  const settled = day("14:20:00");
  const texts = Array.from({ length: 120 }, (_, minute) => lastSeenLabel(settled, day("15:00:00") + minute * 60_000));
  assert.equal([...new Set(texts.slice(0, 60))], ["40 minutes ago"]);
  assert.equal([...new Set(texts.slice(60))], ["1 hour ago"]);
});

label("the night that clocks go back has no double or missing hour", () => {
  const settled = Date.parse("2026-10-25T00:30:00Z");
  const at = (hour: number) => lastSeenLabel(settled, Date.parse(`2026-10-25T0${hour}:15:00Z`));
  assert.equal([1, 2, 3].map(at), ["30 minutes ago", "1 hour ago", "2 hours ago"]);
});

const asOf: [settled: string | null, now: string, asOf: string | null][] = [
  ["14:20:00", "15:00:00", "15:00:00"],
  ["14:20:00", "15:59:59.999", "15:00:00"],
  ["14:20:00", "16:00:00", "16:00:00"],
  ["00:00:01", "23:59:00", "23:00:00"],
  ["15:10:00", "15:59:00", null],
  ["18:00:00", "15:59:00", null],
  [null, "15:30:00", null],
];

for (const [settled, now, expected] of asOf) {
  label(`${settled ?? "no settled event"} is labelled as of ${expected ?? "no hour"} at ${now}`, () => {
    const found = labelledAsOf(settled === null ? null : day(settled), day(now));
    assert.is(found, expected === null ? null : day(expected));
  });
}

label("a label that counts days needs no hour", () => {
  assert.is(labelledAsOf(day("16:00:00") - 86_400_000, day("16:30:00")), null);
  assert.is(labelledAsOf(day("16:00:01") - 86_400_000, day("16:30:00")), day("16:00:00"));
});

label("an error is active from its event in the running hour until that hour is over", () => {
  const active = ["15:10:00", "15:59:59.999", "16:00:00"].map((now) => isActiveThisHour(day("15:10:00"), day(now)));
  assert.equal(active, [true, true, false]);
  assert.is(isActiveThisHour(day("15:00:00"), day("15:00:00")), true);
  assert.is(isActiveThisHour(day("14:59:59.999"), day("15:00:00")), false);
  assert.is(isActiveThisHour(Number.NaN, day("15:00:00")), false);
});

label.run();

const settled = suite("settled time");

settled("an exact time of the running hour leaves what was settled", () => {
  assert.is(settledLastSeen(day("15:10:00"), day("14:20:00"), day("15:30:00")), day("14:20:00"));
  assert.is(settledLastSeen(day("15:10:00"), null, day("15:30:00")), null);
});

settled("an exact time settles when its hour is over", () => {
  assert.is(settledLastSeen(day("15:10:00"), null, day("15:59:59.999")), null);
  assert.is(settledLastSeen(day("15:10:00"), null, day("16:00:00")), day("15:10:00"));
});

settled("an exact time ahead of the clock never settles before its hour is over", () => {
  assert.is(settledLastSeen(day("18:10:00"), day("14:20:00"), day("15:30:00")), day("14:20:00"));
});

settled("hours start at :00 in UTC, before 1970 too", () => {
  assert.is(startOfHour(day("15:59:59.999")), day("15:00:00"));
  assert.is(startOfHour(day("15:00:00")), day("15:00:00"));
  assert.is(startOfHour(-1), -3_600_000);
});

settled.run();
