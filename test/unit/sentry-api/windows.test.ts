import { millisecondsOf } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { ApiCall } from "../../../plugins/sentry-api/src/call.ts";
import { windowOf } from "../../../plugins/sentry-api/src/times.ts";
import { refusal } from "../../support/assert/refusal.ts";

/** The window of time that a call of the web API asks for. */

const now = Date.UTC(2026, 10, 27, 8);
const hourMs = 3_600_000;

function window(query: string): [start: number | undefined, end: number | undefined] {
  // Only these two fields of a call are read.
  const { startTime, endTime } = windowOf({ query: new URLSearchParams(query), now } as ApiCall);
  return [startTime && millisecondsOf(startTime), endTime && millisecondsOf(endTime)];
}

for (const [period, ms] of [
  ["90s", 90_000],
  ["30m", hourMs / 2],
  ["24h", 24 * hourMs],
  ["14d", 14 * 24 * hourMs],
  ["2w", 14 * 24 * hourMs],
] as const)
  test(`statsPeriod=${period} begins so long ago and has no end`, () => {
    assert.equal(window(`statsPeriod=${period}`), [now - ms, undefined]);
  });

test("start and end are times with or without a zone, or days", () => {
  const start = Date.UTC(2026, 10, 20);
  assert.equal(window("start=2026-11-20&end=2026-11-21T00:00:00"), [start, start + 24 * hourMs]);
  assert.equal(window("start=2026-11-20T02:00:00%2B02:00&end=2026-11-20T12:00:00Z"), [start, start + 12 * hourMs]);
});

test("without any of them no event is left out", () => assert.equal(window(""), [undefined, undefined]));

for (const query of ["statsPeriod=2y", "statsPeriod=1000000d", "statsPeriod=1d&start=2026-11-20", "start=2026-11-20"])
  test(`${query} is refused`, () => assert.is(refusal(() => window(query)).reason, ErrorReason.INVALID_FIELD));

test.run();
