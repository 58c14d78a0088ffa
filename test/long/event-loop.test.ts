// alone: measures how long the loop of the service stands still
import { test } from "uvu";
import * as assert from "uvu/assert";
import { maxBlockMs, measureEventLoop } from "../fuzz/event-loop.ts";

test(`no request known to be bad, and no page of its event, holds up the service for more than ${maxBlockMs} ms`, async () => {
  const slow: string[] = [];
  for await (const { claim, arrivalMs, readingMs } of measureEventLoop()) {
    if (arrivalMs > maxBlockMs) slow.push(`${Math.round(arrivalMs)} ms as it arrives: ${claim}`);
    if (readingMs > maxBlockMs) slow.push(`${Math.round(readingMs)} ms as it is shown: ${claim}`);
  }
  assert.equal(slow, []);
});

test.run();
