import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isInUse, silence } from "../../../console/src/routes/[...project]/-/settings/monitor/shown-key.ts";

const keys = suite("use of a client key");

const now = Date.UTC(2026, 8, 30, 14, 20);
const minutes = 60_000;
const hours = 60 * minutes;
const waiting = "An application that reports rarely may still use it: wait for 24 hours to be sure.";

const cases: [what: string, agoMs: number | undefined, inUse: boolean, words: string][] = [
  ["never used", undefined, false, "Key 12 has never sent an event: it is safe to delete."],
  ["used now", 0, true, "Key 12 is still in use."],
  ["used by a clock that is ahead", -5 * minutes, true, "Key 12 is still in use."],
  ["used just below 10 minutes ago", 10 * minutes - 1, true, "Key 12 is still in use."],
  ["used 10 minutes ago", 10 * minutes, true, `Key 12 has been silent for 10 minutes. ${waiting}`],
  ["used an hour ago", hours, true, `Key 12 has been silent for 1 hour. ${waiting}`],
  ["used just below a day ago", 24 * hours - 1, true, `Key 12 has been silent for 23 hours. ${waiting}`],
  ["used a day ago", 24 * hours, false, "Key 12 has been silent for 24 hours: it is safe to delete."],
  ["used months ago", 61 * 24 * hours, false, "Key 12 has been silent for 61 days: it is safe to delete."],
];

for (const [what, agoMs, inUse, words] of cases) {
  const lastUsedTime = agoMs === undefined ? undefined : new Date(now - agoMs).toISOString();
  keys(`a key ${what} ${inUse ? "is" : "is not"} in use, and the words say so`, () => {
    assert.is(isInUse({ lastUsedTime }, now), inUse);
    assert.is(silence({ keyId: 12, lastUsedTime }, now), words);
  });
}

keys.run();
