import { hourMs, millisecondsOf, startOfHour, timestamp } from "@faultline/plugin";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const times = suite("times");

const hour = Date.UTC(2024, 1, 29, 13);

for (const [ms, start] of [
  [hour, hour],
  [hour + 1, hour],
  [hour + hourMs - 1, hour],
  [hour + hourMs, hour + hourMs],
  [0, 0],
  [-1, -hourMs],
  [-hourMs, -hourMs],
] as const) {
  times(`the hour of ${ms} starts at ${start}`, () => assert.is(startOfHour(ms), start));
}

for (const [ms, seconds, nanos] of [
  [0, 0n, 0],
  [1, 0n, 1_000_000],
  [999, 0n, 999_000_000],
  [1000, 1n, 0],
  [hour + 0.5, BigInt(hour / 1000), 500_000],
  [-1, -1n, 999_000_000],
] as const) {
  times(`${ms} ms are ${seconds} s and ${nanos} ns`, () => {
    assert.equal(timestamp(ms), { $typeName: "google.protobuf.Timestamp", seconds, nanos });
  });
}

times("whole milliseconds come back as they were", () => {
  for (const ms of [0, 1, 999, hour, hour + 123, -1, -1001, Date.UTC(9999, 11, 31)]) {
    assert.is(millisecondsOf(timestamp(ms)), ms);
  }
});

times("parts of a millisecond are cut off", () => assert.is(millisecondsOf(timestamp(hour + 0.9)), hour));

times.run();
