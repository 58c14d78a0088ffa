import { suite } from "uvu";
import * as assert from "uvu/assert";
import { recentTime, relativeTime } from "../../../console/src/lib/time/relative-time.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const now = Date.UTC(2026, 8, 30, 12);

const relative = suite("relative time");

const distances: [distance: number, text: string][] = [
  [0, "1 minute ago"],
  [-5 * hour, "1 minute ago"],
  [119_999, "1 minute ago"],
  [2 * minute, "2 minutes ago"],
  [hour - 1, "59 minutes ago"],
  [hour, "1 hour ago"],
  [day - 1, "23 hours ago"],
  [day, "1 day ago"],
  [12 * day, "12 days ago"],
  [60 * day, "60 days ago"],
  [61 * day, "2 months ago"],
  [729 * day, "23 months ago"],
  [731 * day, "2 years ago"],
  [1096 * day, "3 years ago"],
];

for (const [distance, text] of distances) {
  relative(`${distance} ms read "${text}"`, () => assert.is(relativeTime(now - distance, now), text));
}

relative("the words never step back as time goes on", () => {
  const days: Record<string, number> = { minute: 1 / 1440, hour: 1 / 24, day: 1, month: 365.25 / 12, year: 365.25 };
  let before = 0;
  for (let distance = 0; distance < 1200 * day; distance += 6 * hour) {
    const [amount, unit = ""] = relativeTime(now - distance, now).split(" ");
    const shown = Number(amount) * (days[unit.replace(/s$/, "")] ?? Number.NaN);
    assert.ok(shown >= before, `${distance / day} days`);
    before = shown;
  }
});

relative.run();

const recent = suite("recent time");

recent("the first minute and a clock that is ahead are just now", () => {
  for (const distance of [0, minute - 1, -hour]) assert.is(recentTime(now - distance, now), "just now");
  assert.is(recentTime(now - minute, now), "1 minute ago");
});

recent.run();
