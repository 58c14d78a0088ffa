import { suite } from "uvu";
import * as assert from "uvu/assert";
import { eventPosition } from "../../../console/src/routes/[...project]/-/error_tracking/[id]/(error)/details/event/event-position.ts";

const position = suite("event position");

const cases: readonly [
  claim: string,
  answer: { olderCount?: number; newerEventId: string },
  counts: { readCount: number; count?: number },
  text: string,
][] = [
  ["the oldest is the first", { olderCount: 0, newerEventId: "b" }, { readCount: 340 }, "1 of 340 kept"],
  ["one between", { olderCount: 11, newerEventId: "b" }, { readCount: 340 }, "12 of 340 kept"],
  ["one that others followed since", { olderCount: 4, newerEventId: "" }, { readCount: 5, count: 7 }, "5 of 7 kept"],
  ["one that is read before the count", { olderCount: 5, newerEventId: "" }, { readCount: 5 }, "6 of 6 kept"],
  [
    "the newest of more than are counted",
    { olderCount: 10_000, newerEventId: "" },
    { readCount: 25_000 },
    "25,000 of 25,000 kept",
  ],
  ["one in the midst of them", { olderCount: 10_000, newerEventId: "b" }, { readCount: 25_000 }, "25,000 kept"],
  ["an external system counts none", { newerEventId: "" }, { readCount: 5 }, ""],
];

for (const [claim, answer, counts, text] of cases)
  position(claim, () => assert.is(eventPosition(answer, counts), text));

position.run();
