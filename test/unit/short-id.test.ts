import { suite } from "uvu";
import * as assert from "uvu/assert";
import { namedErrorId, shortIdOf } from "../../backend/src/services/code-links/linked-backend.ts";

const shortIds = suite("short ids of errors");

shortIds("are the last part of the project's path, in capitals, and the error's id", () => {
  assert.is(shortIdOf("web", "157"), "WEB-157");
  assert.is(shortIdOf("acme/team/web-shop.2", "9"), "WEB-SHOP.2-9");
});

const readings: readonly [search: string, path: string | undefined, errorId: string | undefined][] = [
  ["WEB-157", "acme/web", "157"],
  ["web-157", "acme/Web", "157"],
  ["#WEB-157", "acme/web", "157"],
  [" WEB-157 ", "acme/web", "157"],
  ["WEB-SHOP.2-9", "web-shop.2", "9"],
  ["#157", "acme/web", "157"],
  ["#157", undefined, "157"],
  ["157", "acme/web", undefined], // an error may contain 404
  ["SHOP-157", "acme/web", undefined],
  ["ACME/WEB-157", "acme/web", undefined],
  ["WEB-157", undefined, undefined], // an external system has its own
  ["WEB-0157", "acme/web", undefined],
  ["WEB-0", "acme/web", undefined],
  ["WEB-1234567890123456", "acme/web", undefined],
  ["WEB-", "acme/web", undefined],
  ["-157", "acme/web", undefined],
  ["#", "acme/web", undefined],
  ["##157", "acme/web", undefined],
  ['"WEB-157"', "acme/web", undefined],
  ["WEB-157 cart", "acme/web", undefined],
  ["", "acme/web", undefined],
];

for (const [search, path, errorId] of readings) {
  shortIds(`${JSON.stringify(search)} in ${path ?? "an external project"} names ${errorId ?? "no error"}`, () => {
    assert.is(namedErrorId(search, path), errorId);
  });
}

shortIds("a short id is read as the error that it was made of", () => {
  for (const path of ["web", "a/b/c", "x_1.y-z"]) assert.is(namedErrorId(shortIdOf(path, "42"), path), "42");
});

shortIds.run();
