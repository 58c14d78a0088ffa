import { suite } from "uvu";
import { ErrorReason } from "@faultline/proto";
import * as assert from "uvu/assert";
import { decisive, searchTokens } from "../../plugins/integrated-backend/src/search/tokens.ts";
import type { SearchToken } from "../../plugins/integrated-backend/src/search/search-token.ts";
import { refusal } from "../support/assert/refusal.ts";

const search = suite("search");

const queries: [query: string, tokens: SearchToken[]][] = [
  ["", []],
  ["   ", []],
  ["timeout", [{ text: "timeout" }]],
  ["  two   words ", [{ text: "two" }, { text: "words" }]],
  ['"out of memory"', [{ text: "out of memory" }]],
  ["level:fatal", [{ key: "level", value: "fatal" }]],
  ["error.type:TypeError", [{ key: "error.type", value: "TypeError" }]],
  ['message:"out of memory" now', [{ key: "message", value: "out of memory" }, { text: "now" }]],
  ['"a:b c"', [{ text: "a:b c" }]],
  ["my-tag:a:b", [{ key: "my-tag", value: "a:b" }]],
  ["level:", [{ text: "level:" }]],
  [":fatal", [{ text: ":fatal" }]],
  ["https://h.example/a", [{ text: "https://h.example/a" }]],
  ['"never closed', [{ text: "never closed" }]],
  ['release:"1.0 beta', [{ key: "release", value: "1.0 beta" }]],
  ["100%_\\", [{ text: "100%_\\" }]],
];

for (const [query, tokens] of queries) {
  search(`${JSON.stringify(query)} is ${JSON.stringify(tokens)}`, () => assert.equal(searchTokens(query), tokens));
}

const deciding: [query: string, decides: string][] = [
  ["user account", "user account"],
  ["use user", "user"],
  ["user use", "user"],
  ["user user USER", "user"],
  ["ann message:joanna", "message:joanna"],
  ["joanna message:ann", "joanna message:ann"],
  ["level:error error", "level:error error"],
  ["tag:a tag:ab", "tag:a tag:ab"],
  ["ä är", "ä är"],
];

for (const [query, decides] of deciding) {
  search(`of ${JSON.stringify(query)} ${JSON.stringify(decides)} decides`, () =>
    assert.equal(decisive(searchTokens(query)), searchTokens(decides)),
  );
}

search("200 characters are taken and 201 are not", () => {
  assert.equal(searchTokens("x".repeat(200)), [{ text: "x".repeat(200) }]);
  const { reason, field } = refusal(() => searchTokens("x".repeat(201)));
  assert.is(reason, ErrorReason.INVALID_FIELD);
  assert.is(field, "query");
});

search.run();
