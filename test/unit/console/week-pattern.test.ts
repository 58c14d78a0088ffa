import { suite } from "uvu";
import * as assert from "uvu/assert";
import { hoursOfWeek, weekCounts, weekPattern } from "../../../console/src/lib/charts/week-pattern.ts";

const pattern = suite("pattern of the week");

const hourMs = 3_600_000;
const hours = 2160;
/** A Monday, 00:00 UTC. */
const monday = Date.UTC(2026, 7, 31);
const places = hoursOfWeek(monday, hours, "UTC");

/** Counts in the hours with a picked day (0: Monday), hour and week. */
const counted = (pick: (day: number, hour: number, week: number) => number) =>
  Array.from({ length: hours }, (_, index) => pick(Math.floor(index / 24) % 7, index % 24, Math.floor(index / 168)));

const cases: readonly [claim: string, counts: readonly number[], text: string][] = [
  ["no events have none", counted(() => 0), ""],
  ["as many in each hour have none", counted(() => 1), ""],
  ["a nightly job", counted((_, hour) => (hour === 3 ? 2 : 0)), "Mostly at 03:00."],
  [
    "a nightly job of weekdays",
    counted((day, hour) => (hour === 3 && day < 5 ? 2 : 0)),
    "Mostly on weekdays at 03:00.",
  ],
  ["office hours", counted((day, hour) => (day < 5 && hour >= 9 && hour < 17 ? 1 : 0)), "Mostly on weekdays."],
  ["a weekly job", counted((day, hour) => (day === 0 && hour === 6 ? 4 : 0)), "Mostly on Mondays at 06:00."],
  ["one burst, however large", counted((day, hour, week) => (week === 2 && day === 1 && hour === 4 ? 9000 : 0)), ""],
  [
    "day twice the night, on each day of the week",
    counted((_, hour) => (hour >= 7 && hour < 20 ? 2 : 1)),
    "Mostly 07:00–20:00 UTC, every day.",
  ],
  [
    "nights, beyond midnight",
    counted((_, hour) => (hour >= 21 || hour < 5 ? 6 : 2)),
    "Mostly 21:00–05:00 UTC, every day.",
  ],
  [
    "days but for Sundays, whose nights have as many",
    counted((day, hour) => (day < 6 && hour >= 8 && hour < 18 ? 3 : 1)),
    "Mostly 08:00–18:00 UTC.",
  ],
  ["a nightly job beside few at all hours", counted((_, hour) => (hour === 3 ? 100 : 1)), "Mostly at 03:00."],
  ["one burst of several hours", counted((day, hour, week) => (week === 2 && day === 1 && hour < 9 ? 9000 : 0)), ""],
  [
    "a burst beside as many in each hour",
    counted((day, hour, week) => (week === 2 && day === 1 && hour >= 4 && hour < 9 ? 9000 : 1)),
    "",
  ],
  [
    "one hour in seven, at all hours alike",
    counted((day, hour, week) => ((day * 24 + hour + week) % 7 === 0 ? 5 : 0)),
    "",
  ],
  ["too few for a pattern", counted((day, hour, week) => (day === 0 && hour === 6 && week < 5 ? 1 : 0)), ""],
];
for (const [claim, counts, text] of cases) pattern(claim, () => assert.is(weekPattern(counts, places, "UTC"), text));

pattern("hours are those of the zone, also when its clock is changed", () => {
  const zone = "Europe/Berlin"; // from UTC+2 to UTC+1 on 25 October 2026
  assert.is(hoursOfWeek(monday, 1, zone)[0], 2);
  const sunday = hoursOfWeek(Date.UTC(2026, 9, 25), 3, zone);
  assert.equal(sunday, [146, 146, 147]);
});

pattern("the counts of a week add up", () => {
  const week = weekCounts(
    counted((day) => (day === 6 ? 1 : 0)),
    places,
  );
  assert.is(week.length, 168);
  assert.is(
    week.reduce((sum, count) => sum + count, 0),
    12 * 24,
  );
  assert.is(week[0], 0);
  assert.is(week[6 * 24], 12);
});

pattern("a period that is not of whole weeks loses nothing", () => {
  const all = counted(() => 1);
  const week = weekCounts(all, hoursOfWeek(monday + 5 * hourMs, hours, "UTC"));
  assert.is(
    week.reduce((sum, count) => sum + count, 0),
    hours,
  );
});

pattern.run();
