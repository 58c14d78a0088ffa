import { test } from "uvu";
import * as assert from "uvu/assert";
import { parseTraceparent, traceparentOf } from "../../plugins/opentelemetry/src/index.ts";

/** W3C Trace Context, level 2. */

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";

for (const [flags, sampled] of [
  ["00", 0],
  ["01", 1],
  ["02", 0], // it says that the trace id is random, not that the trace is sampled
  ["03", 1],
  ["ff", 1],
] as const)
  test(`flags of ${flags} are ${sampled === 1 ? "" : "not "}sampled, and no other flag is passed on`, () => {
    const context = parseTraceparent(`00-${traceId}-${spanId}-${flags}`);
    assert.equal(context, { traceId, spanId, traceFlags: sampled });
    assert.is(context && traceparentOf(context), `00-${traceId}-${spanId}-0${sampled}`);
  });

test("a later version may have more parts", () => {
  assert.is(parseTraceparent(`01-${traceId}-${spanId}-01-what-comes`)?.traceId, traceId);
});

for (const text of [
  undefined,
  "",
  `00-${traceId}-${spanId}`,
  `00-${traceId}-${spanId}-01-more`,
  `ff-${traceId}-${spanId}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${"0".repeat(32)}-${spanId}-01`,
  `00-${traceId}-${"0".repeat(16)}-01`,
])
  test(`${JSON.stringify(text)} is not a context`, () => assert.is(parseTraceparent(text), undefined));

test.run();
