import { suite } from "uvu";
import * as assert from "uvu/assert";
import { raisedPlace } from "../../../console/src/routes/[...project]/-/error_tracking/[id]/(error)/details/event/trace/raised-frame.ts";
import { exception, frame } from "../../support/console/console-messages.ts";

const place = suite("raised place");

const view = frame({ filename: "shop/views.py", function: "show", lineno: 12, inApp: true });
const pricing = frame({ filename: "shop/pricing.py", function: "price_of", lineno: 23, inApp: true });
const library = frame({ filename: "decimal.py", function: "quantize", lineno: 7, inApp: false });
const thread = (name: string, frames: readonly (typeof view)[], crashed = false) => ({
  id: name,
  name,
  crashed,
  current: false,
  frames: [...frames],
});

place("of the exception in the title, the innermost frame of the application", () => {
  const cause = exception({ frames: [library] });
  const error = exception({ frames: [view, pricing, library] });
  assert.is(raisedPlace({ exceptions: [cause, error], threads: [] }), "shop/pricing.py:23 in price_of");
});

place("the innermost frame where none is of the application", () => {
  const other = frame({ filename: "runner.py", function: "run", lineno: 1, inApp: false });
  assert.is(
    raisedPlace({ exceptions: [exception({ frames: [other, library] })], threads: [] }),
    "decimal.py:7 in quantize",
  );
});

place("a frame without a line or a function shows what it has", () => {
  const bare = frame({ filename: "", absPath: "/srv/app.rb", function: "", lineno: 0, inApp: true });
  assert.is(raisedPlace({ exceptions: [exception({ frames: [bare] })], threads: [] }), "/srv/app.rb");
});

place("without exceptions, of the thread that crashed, otherwise of the first with a stack", () => {
  const threads = [thread("main", []), thread("worker", [view]), thread("io", [pricing], true)];
  assert.is(raisedPlace({ exceptions: [], threads }), "shop/pricing.py:23 in price_of");
  assert.is(raisedPlace({ exceptions: [], threads: threads.slice(0, 2) }), "shop/views.py:12 in show");
});

place("no stack has no place", () => {
  assert.is(raisedPlace({ exceptions: [], threads: [] }), "");
  assert.is(raisedPlace({ exceptions: [exception({ frames: [] })], threads: [thread("main", [view])] }), "");
});

place.run();
