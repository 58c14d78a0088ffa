// limit: 300 s
import { test } from "uvu";
import { maxBlockMs, measureEventLoop } from "../fuzz/event-loop.ts";
import { bound, Measured } from "../support/measure/measured.ts";

test("no request known to be bad, and no page of its event, holds up the service for long", async () => {
  for await (const { claim, arrivalMs, readingMs } of measureEventLoop()) {
    bound(`held up as it arrives: ${claim}`, new Measured(arrivalMs, "ms"), { atMost: maxBlockMs });
    bound(`held up as it is shown: ${claim}`, new Measured(readingMs, "ms"), { atMost: maxBlockMs });
  }
});

test.run();
