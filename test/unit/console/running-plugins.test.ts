import { test } from "uvu";
import * as assert from "uvu/assert";
import { running } from "../../../console/src/lib/plugins/part.ts";

const parts = [{ plugin: "activity" }, { plugin: "notes" }];

test("the parts of plugins that run are shown, in the order in which the console was built", () => {
  assert.equal(running(parts, ["notes", "http-bridge", "activity"]), parts);
  assert.equal(running(parts, ["notes"]), [{ plugin: "notes" }]);
});

test("no part is shown to people who are not signed in, because pages do not know the active plugins", () => {
  assert.equal(running(parts, []), []);
  assert.equal(running(parts, undefined), []);
});

test.run();
