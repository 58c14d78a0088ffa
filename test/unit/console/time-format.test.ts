import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  clockTime,
  dayLabel,
  dayTime,
  exactTime,
  hourLabel,
  offsetTime,
  shortTime,
  spokenHour,
  zoneName,
} from "../../../console/src/lib/time/time-format.ts";

const time = Date.parse("2026-09-29T12:20:31.482Z");

const formats = suite("time formats");

for (const [zone, text] of [
  ["UTC", "29 Sep 2026, 12:20:31.482 UTC"],
  ["Europe/Berlin", "29 Sep 2026, 14:20:31.482 CEST · 12:20:31 UTC"],
  ["Asia/Kolkata", "29 Sep 2026, 17:50:31.482 GMT+5:30 · 12:20:31 UTC"],
  ["Africa/Abidjan", "29 Sep 2026, 12:20:31.482 GMT"],
] as const) {
  formats(`the exact time in ${zone} is ${text}`, () => assert.is(exactTime(time, zone), text));
}

const texts: [claim: string, found: string, expected: string][] = [
  ["a short time has no year", shortTime(time, "UTC"), "29 Sep, 12:20:31"],
  ["a clock time has no seconds", clockTime(time, "Europe/Berlin"), "14:20"],
  ["midnight is 00:00", clockTime(Date.UTC(2026, 0, 1), "UTC"), "00:00"],
  ["a day has a year", dayTime(time, "UTC"), "29 Sep 2026"],
  ["a day label has none, and no leading zero", dayLabel(Date.UTC(2026, 8, 1), "UTC"), "1 Sep"],
  ["the day is that of the zone", dayLabel(Date.UTC(2026, 8, 1, 23), "Europe/Berlin"), "2 Sep"],
  ["an hour is labelled by both ends", hourLabel(Date.UTC(2026, 8, 29, 14), "UTC"), "Tue 29 Sep, 14:00–15:00"],
  ["the last hour of a day ends at 00:00", hourLabel(Date.UTC(2026, 8, 29, 23), "UTC"), "Tue 29 Sep, 23:00–00:00"],
  [
    "an hour is spoken with the day and the zone",
    spokenHour(Date.UTC(2026, 8, 29, 14), "UTC"),
    "Tuesday 29 September, 14:00 to 15:00 UTC",
  ],
  ["summer time has its own name", zoneName(time, "Europe/Berlin"), "CEST"],
  ["winter time has its own name", zoneName(Date.UTC(2026, 0, 1), "Europe/Berlin"), "CET"],
];

for (const [claim, found, expected] of texts) formats(claim, () => assert.is(found, expected));

for (const month of Array.from({ length: 12 }, (_, index) => index)) {
  formats(`month ${month + 1} has three letters`, () => {
    assert.match(dayTime(Date.UTC(2026, month, 9), "UTC"), /^09 [A-Z][a-z]{2} 2026$/);
  });
}

formats.run();

const offsets = suite("offset");

for (const [distance, text] of [
  [0, "0.0 s"],
  [-49, "0.0 s"],
  [-50, "−0.1 s"],
  [-2400, "−2.4 s"],
  [100, "+0.1 s"],
  [-59_949, "−59.9 s"],
  [-59_950, "−1 min"],
  [-59_999, "−1 min"],
  [-180_000, "−3 min"],
  [-3_569_999, "−59 min"],
  [-3_570_000, "−1.0 h"],
  [9_000_000, "+2.5 h"],
] as const) {
  offsets(`${distance} ms are ${text}`, () => assert.is(offsetTime(time + distance, time), text));
}

offsets.run();
