import { pageToken, readPageToken } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { cursorOf, offsetCursor, offsetOf, tokenOf } from "../../../plugins/sentry-api/src/cursor.ts";
import { refusal } from "../../support/assert/refusal.ts";

const errors = ["string", "number", "number"] as const;
const largest = 9_007_199_254_740_991;

for (const place of [
  ["after", 1_768_046_400_000, 42],
  ["before", 0, 1],
  ["after", 99_999_999_999_999, 999_999_999_999_999],
] as const) {
  test(`the token of ${place.join(" ")} travels as a cursor`, () => {
    const token = pageToken("a list", place);
    const cursor = cursorOf(token);
    assert.match(cursor, /^[0-9:]{1,64}$/);
    assert.is(tokenOf(cursor), token);
    assert.equal(readPageToken("a list", tokenOf(cursor), errors), place);
    assert.is(refusal(() => readPageToken("another", tokenOf(cursor), errors)).reason, ErrorReason.INVALID_PAGE_TOKEN);
  });
}

test("so does one of a list that pages forward only", () => {
  const token = pageToken("events 7", [1_768_046_400_000, 42]);
  assert.match(cursorOf(token), /^\d+:1768046400000:42$/);
  assert.is(tokenOf(cursorOf(token)), token);
});

test("none is the first page", () => {
  assert.is(tokenOf(null), "");
  assert.is(tokenOf(""), "");
  assert.is(offsetOf(null), 0);
});

for (const bad of [
  "1",
  "1:2",
  "1:2:3:2",
  "1:2:3:4:5",
  ":::",
  "1:2:3:",
  "-1:2:3",
  "1:2:x",
  "1e3:2:3",
  " 1:2:3",
  `1:${"9".repeat(17)}:3`,
  "9".repeat(5000),
]) {
  test(`${bad.slice(0, 30)} is not a cursor`, () => {
    assert.is(refusal(() => tokenOf(bad)).reason, ErrorReason.INVALID_PAGE_TOKEN);
  });
}

test("a number beyond the safe ones is refused where the token is read", () => {
  const cursor = cursorOf(pageToken("a list", ["after", largest, 1])).replace(String(largest), "9999999999999999");
  assert.is(refusal(() => readPageToken("a list", tokenOf(cursor), errors)).reason, ErrorReason.INVALID_PAGE_TOKEN);
});

test("a place that is counted has a cursor as well, and no other is taken for one", () => {
  assert.is(offsetOf(offsetCursor(120)), 120);
  for (const bad of ["120", "1:120:0", "0:1e3:0", "0:-1:0", "0:1:2", "0:9999999999:0"]) {
    assert.is(refusal(() => offsetOf(bad)).reason, ErrorReason.INVALID_PAGE_TOKEN, bad);
  }
});

test.run();
