import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  isFiltered,
  valueText,
} from "../../../console/src/routes/[...project]/-/error_tracking/[id]/(error)/details/event/value-text.ts";

const values = suite("value text");

for (const [value, text] of [
  ["text", "text"],
  ["", ""],
  ["<script>", "<script>"],
  ["two\nlines", "two\nlines"],
  [0, "0"],
  [null, "null"],
  [false, "false"],
  [undefined, ""],
  [[1, "a", null], '[1,"a",null]'],
  [{ a: { b: 1 } }, '{"a":{"b":1}}'],
  ["\ud800", "\ud800"],
] as const) {
  values(`${JSON.stringify(value) ?? "undefined"} shows as ${JSON.stringify(text)}`, () => {
    assert.is(valueText(value), text);
  });
}

values("JSON of more than 80 characters is indented", () => {
  const fits = { a: "x".repeat(72) };
  const long = { a: "x".repeat(73) };
  assert.is(valueText(fits), JSON.stringify(fits));
  assert.is(valueText(long), JSON.stringify(long, null, 2));
});

values("only the word of SDKs and service counts as filtered", () => {
  assert.ok(isFiltered("[Filtered]"));
  for (const value of ["[filtered]", "Filtered", ["[Filtered]"], undefined]) assert.not(isFiltered(value));
});

values.run();
