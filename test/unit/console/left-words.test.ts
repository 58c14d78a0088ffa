import { test } from "uvu";
import * as assert from "uvu/assert";
import {
  changedWords,
  whyLeft,
} from "../../../console/src/routes/[...project]/-/error_tracking/bulk_updates/[update]/left-words.ts";

const update = { newStatus: "ERROR_STATUS_RESOLVED" as const, changedCount: 1046, foundCount: 1048, query: "" };

test("the words about a bulk update name its numbers and its search", () => {
  assert.is(changedWords(update), "Resolved 1,046 of 1,048 errors.");
  const one = { ...update, newStatus: "ERROR_STATUS_IGNORED" as const, changedCount: 0, foundCount: 1, query: "cart" };
  assert.is(changedWords(one), "Ignored 0 of 1 error that matched “cart”.");
});

test("a skipped error says why, as far as it shows", () => {
  assert.is(whyLeft(undefined), "It was deleted.");
  assert.is(whyLeft({ reopenedTime: "2026-01-10T12:00:00Z" }), "A new event reopened it.");
  assert.is(whyLeft({ reopenedTime: undefined }), "Somebody changed its status first.");
});

test.run();
