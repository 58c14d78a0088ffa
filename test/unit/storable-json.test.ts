import { test } from "uvu";
import * as assert from "uvu/assert";
import { storableJson } from "../../plugins/integrated-backend/src/event/storable-json.ts";

/** Texts, and what both databases store of them. */
const texts: readonly (readonly [text: string, stored: string])[] = [
  ["plain", "plain"],
  ["a\0b", "a\ufffdb"],
  ["cut \ud83d", "cut \ufffd"],
  ["\udc00 cut", "\ufffd cut"],
  ["whole \u{1f600}", "whole \u{1f600}"],
  ["\\u0000 as it was typed", "\\u0000 as it was typed"],
  ["\x01 and \ud7ff are no such signs", "\x01 and \ud7ff are no such signs"],
];

for (const [text, stored] of texts) {
  test(`${JSON.stringify(text)} is stored as ${JSON.stringify(stored)}`, () => {
    assert.equal(JSON.parse(storableJson([[1, text]])), [[1, stored]]);
  });
}

test.run();
