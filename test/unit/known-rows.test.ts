import { test } from "uvu";
import * as assert from "uvu/assert";
import { KnownRows } from "../../plugins/integrated-backend/src/sqlite/writer-cache.ts";

const rows = new KnownRows();
rows.add([
  ["1/a", "", "id:7"],
  ["1/a", "handled", "true"],
  ["1/a", "paid", "true"], // the value of two tags
]);

for (const [error, name, value, isKnown] of [
  ["1/a", "", "id:7", true],
  ["1/a", "handled", "true", true],
  ["1/a", "paid", "true", true],
  ["1/a", "open", "true", false],
  ["1/a", "id", "id:7", false],
  ["1/a", "handled", "false", false],
  ["2/a", "handled", "true", false],
] as const) {
  test(`${name}=${value} of ${error} is ${isKnown ? "known" : "not known"}`, () => {
    assert.is(rows.of(error).has(name, value), isKnown);
  });
}

test("nothing is known while rows are deleted, nor what was stored meanwhile", async () => {
  await rows.forgetAround(async () => {
    rows.add([["1/a", "paid", "true"]]);
    assert.is(rows.of("1/a").has("paid", "true"), false);
  });
  assert.is(rows.of("1/a").has("paid", "true"), false);
  rows.add([["1/a", "paid", "true"]]);
  assert.is(rows.of("1/a").has("paid", "true"), true);
});

test.run();
