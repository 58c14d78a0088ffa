import { suite } from "uvu";
import * as assert from "uvu/assert";
import { timeBoundNote } from "../../../console/src/lib/server/time-bound-note.ts";

const receivedTime = "2026-10-05T10:00:00Z";
const sentTime = "2026-01-03T10:00:00Z";

const notes = suite("time bound notes");

const cases: [claim: string, event: Parameters<typeof timeBoundNote>[0], found: string][] = [
  ["a time within the limits", { occurredTime: receivedTime, receivedTime }, ""],
  [
    "an old time",
    { occurredTime: "2026-07-07T10:00:00Z", receivedTime, timeBound: { sentTime } },
    "The SDK sent 03 Jan 2026, 10:00:00.000 UTC. An event is dated at most 90 days before it is received, and this one is at that limit.",
  ],
  [
    "a time that an earlier version bounded",
    { occurredTime: "2026-09-05T10:00:00Z", receivedTime, timeBound: { sentTime } },
    "The SDK sent 03 Jan 2026, 10:00:00.000 UTC. An event is dated at most 30 days before it is received, and this one is at that limit.",
  ],
  [
    "a time ahead",
    { occurredTime: "2026-10-05T10:01:00Z", receivedTime, timeBound: { sentTime: "2030-01-01T00:00:00Z" } },
    "The SDK sent 01 Jan 2030, 00:00:00.000 UTC. An event is dated at most 1 minute after it is received, and this one is at that limit.",
  ],
  [
    "a time that is not known",
    { occurredTime: "2026-07-07T10:00:00Z", receivedTime, timeBound: {} },
    "The time that was sent is outside the limits. An event is dated at most 90 days before it is received, and this one is at that limit.",
  ],
];

for (const [claim, event, found] of cases) {
  notes(`${claim} is noted as ${found || "nothing"}`, () => assert.is(timeBoundNote(event, "UTC"), found));
}

notes.run();
