import { test } from "uvu";
import * as assert from "uvu/assert";
import { afterQuietHours, isTimeZone } from "../../../plugins/notifier/src/people/quiet-hours.ts";

const at = (time: string) => Date.parse(time);
const night = { timeZone: "Europe/Berlin", from: 22 * 60, until: 7 * 60 };
const lunch = { timeZone: "UTC", from: 12 * 60, until: 13 * 60 };
/** Ends within the hour that Berlin skips on 29 March 2026 at 01:00 UTC, and repeats on 25 October 2026 at 01:00 UTC. */
const untilHalfPastTwo = { timeZone: "Europe/Berlin", from: 22 * 60, until: 2 * 60 + 30 };

const cases: readonly [claim: string, quiet: typeof night, now: string, until: string][] = [
  ["by day nothing waits", night, "2026-01-10T12:00:00Z", "2026-01-10T12:00:00Z"],
  ["the first minute is quiet", night, "2026-01-10T21:00:00Z", "2026-01-11T06:00:00Z"],
  ["the minute before is not", night, "2026-01-10T20:59:59.999Z", "2026-01-10T20:59:59.999Z"],
  ["after midnight the same end holds", night, "2026-01-11T03:30:12.345Z", "2026-01-11T06:00:00Z"],
  ["the last minute is quiet", night, "2026-01-11T05:59:59.999Z", "2026-01-11T06:00:00Z"],
  ["the end is not", night, "2026-01-11T06:00:00Z", "2026-01-11T06:00:00Z"],
  ["in summer it ends at the same time by the clocks", night, "2026-07-10T23:00:00Z", "2026-07-11T05:00:00Z"],
  ["hours of one day end on that day", lunch, "2026-01-10T12:30:00Z", "2026-01-10T13:00:00Z"],
  ["a night that loses an hour", night, "2026-03-28T22:00:00Z", "2026-03-29T05:00:00Z"],
  ["a night that gains an hour", night, "2026-10-24T22:00:00Z", "2026-10-25T06:00:00Z"],
  [
    "an end that the clocks skip is where they skip it",
    untilHalfPastTwo,
    "2026-03-28T22:00:00Z",
    "2026-03-29T01:00:00Z",
  ],
  ["an end that comes twice is the first", untilHalfPastTwo, "2026-10-24T22:00:00Z", "2026-10-25T00:30:00Z"],
  ["and it is quiet again in the hour that repeats", untilHalfPastTwo, "2026-10-25T01:10:00Z", "2026-10-25T01:30:00Z"],
  [
    "a zone of half an hour that changes by half an hour",
    { timeZone: "Australia/Lord_Howe", from: 22 * 60, until: 7 * 60 },
    "2026-04-04T12:00:00Z",
    "2026-04-04T20:30:00Z",
  ],
  [
    "a day that a zone skipped",
    { timeZone: "Pacific/Apia", from: 22 * 60, until: 7 * 60 },
    "2011-12-30T09:00:00Z",
    "2011-12-30T17:00:00Z",
  ],
];

for (const [claim, quiet, now, until] of cases) {
  test(`quiet hours: ${claim}`, () => {
    assert.is(new Date(afterQuietHours(quiet, at(now))).toISOString(), new Date(at(until)).toISOString());
  });
}

test("without quiet hours nothing waits", () => {
  assert.is(afterQuietHours(undefined, 17), 17);
});

test("time zones are known by their names", () => {
  assert.equal(["UTC", "Europe/Berlin", "Mars/Olympus", "", "../etc"].map(isTimeZone), [
    true,
    true,
    false,
    false,
    false,
  ]);
});

test.run();
