import { suite } from "uvu";
import * as assert from "uvu/assert";
import { searchTokens as serviceTokens } from "../../../plugins/integrated-backend/src/search/tokens.ts";
import {
  filterText,
  searchFilters,
  searchTokens,
  withoutToken,
} from "../../../console/src/lib/errors/search-tokens.ts";
import { threadMs } from "../../support/service/thread-time.ts";

const tokens = suite("search tokens");

const queries: [query: string, found: [key: string, value: string][]][] = [
  ["", []],
  ["   ", []],
  ["timeout", [["", "timeout"]]],
  [
    '  two "three  four" ',
    [
      ["", "two"],
      ["", "three  four"],
    ],
  ],
  ["level:fatal", [["level", "fatal"]]],
  [
    "error.type:TypeError my-tag:a:b",
    [
      ["error.type", "TypeError"],
      ["my-tag", "a:b"],
    ],
  ],
  [
    'message:"out of memory" now',
    [
      ["message", "out of memory"],
      ["", "now"],
    ],
  ],
  ["level:", [["", "level:"]]],
  [
    "level: fatal",
    [
      ["", "level:"],
      ["", "fatal"],
    ],
  ],
  [":fatal", [["", ":fatal"]]],
  ["https://h.example/a", [["", "https://h.example/a"]]],
  ["url:https://h.example/a", [["url", "https://h.example/a"]]],
  ['"never closed', [["", "never closed"]]],
  ['release:"1.0 beta', [["release", "1.0 beta"]]],
  [
    "\u{202e}abc <b>",
    [
      ["", "\u{202e}abc"],
      ["", "<b>"],
    ],
  ],
];

for (const [query, found] of queries) {
  tokens(`${JSON.stringify(query)} reads as ${JSON.stringify(found)}`, () => {
    assert.equal(
      searchTokens(query).map(({ key, value }) => [key, value]),
      found,
    );
  });

  tokens(`the service reads ${JSON.stringify(query)} the same way`, () => {
    const theirs = serviceTokens(query).map((token) => ("text" in token ? ["", token.text] : [token.key, token.value]));
    assert.equal(
      searchTokens(query).map(({ key, value }) => [key, value]),
      theirs,
    );
  });
}

tokens("each token knows where it stands", () => {
  const query = ' a  level:error message:"x y" ';
  for (const { text, start, end } of searchTokens(query)) assert.is(query.slice(start, end), text);
});

tokens("a long search takes no time to read", () => {
  const ms = threadMs(() => void searchTokens(`${"a.".repeat(50_000)} ${'"'.repeat(50_000)}`));
  assert.ok(ms < 1000, `${ms} ms`);
});

tokens.run();

const filters = suite("search filters");

filters("bare words and half-typed filters are no chips", () => {
  assert.equal(
    searchFilters('timeout level: https://h.example level:error release:""').map(({ text }) => text),
    ["level:error"],
  );
});

filters("taking a chip away leaves the rest as typed", () => {
  const query = 'timeout level:error  message:"two  spaces"';
  const [level, message] = searchFilters(query);
  assert.ok(level !== undefined && message !== undefined);
  assert.is(withoutToken(query, level), 'timeout message:"two  spaces"');
  assert.is(withoutToken(query, message), "timeout level:error");
  assert.is(withoutToken("level:error", { ...level, start: 0, end: 11 }), "");
});

for (const value of ["Chrome", "Chrome 131", "a:b", "https://h.example", "//cdn.example/x", "x".repeat(200), "東京"]) {
  filters(`the filter of a tag ${JSON.stringify(value.slice(0, 20))} reads back as that tag`, () => {
    assert.equal(
      searchTokens(filterText("tag", value)).map((token) => [token.key, token.value]),
      [["tag", value]],
    );
  });
}

filters("quotes in a tag cannot end the filter", () => {
  assert.is(filterText("tag", 'a" level:fatal'), 'tag:"a level:fatal"');
});

filters.run();
