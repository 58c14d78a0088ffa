import { JsonTooLarge, parseForeignJson } from "@faultline/plugin";
import { test } from "uvu";
import * as assert from "uvu/assert";

const refused: readonly (readonly [name: string, json: string])[] = [
  ["90,000 empty objects", `[${"{},".repeat(90_000)}{}]`],
  ["lists in 101 levels", "[".repeat(101) + "]".repeat(101)],
  ["a text of 6 MiB", JSON.stringify("x".repeat(6 * 1024 * 1024))],
  ["200,000 short numbers behind keys", `{${'"k":1,'.repeat(200_000)}"k":1}`],
];
for (const [name, json] of refused) {
  test(`${name} are refused before they are parsed`, () => {
    assert.throws(
      () => parseForeignJson(Buffer.from(json)),
      (error: unknown) => error instanceof JsonTooLarge,
    );
  });
}

const taken: readonly unknown[] = [
  null,
  "a, b: {c}",
  [[], {}],
  { commits: Array.from({ length: 1_000 }, (_, id) => ({ id, files: ["a", "b"] })) },
];
for (const value of taken) {
  test(`${JSON.stringify(value).slice(0, 40)} is read as JSON.parse reads it`, () => {
    assert.equal(parseForeignJson(Buffer.from(JSON.stringify(value))), value);
  });
}

test("a text that is not JSON is a SyntaxError", () => {
  assert.throws(
    () => parseForeignJson(Buffer.from("<html>")),
    (error: unknown) => error instanceof SyntaxError,
  );
});

test.run();
