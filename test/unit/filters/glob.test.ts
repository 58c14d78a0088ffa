import { test } from "uvu";
import * as assert from "uvu/assert";
import { threadMs } from "../../support/service/thread-time.ts";
import { Glob, newEffort } from "../../../backend/src/services/filters/event-filters.ts";

const matches: [pattern: string, text: string, isMatch: boolean][] = [
  ["timeout", "timeout", true],
  ["timeout", "a timeout", false],
  ["timeout", "timeouts", false],
  ["*timeout*", "a timeout of 3 s", true],
  ["*timeout*", "timeout", true],
  ["*timeout", "read timeout", true],
  ["*timeout", "read timeout!", false],
  ["timeout*", "timeout!", true],
  ["timeout*", "a timeout", false],
  ["TimeOut*", "timeout", true],
  ["a*b*c", "a1b2c", true],
  ["a*b*c", "acb", false],
  ["a*b*c", "abcbc", true],
  ["ab*ab", "ab", false],
  ["ab*ab", "abab", true],
  ["ab*bc*cd", "abcd", false],
  ["*aab*", "aaab", true],
  ["web@1.?", "web@1.2", true],
  ["web@1.?", "web@1.", false],
  ["web@1.?", "web@1.23", false],
  ["?b?", "abc", true],
  ["*?b?*", "xxabcxx", true],
  ["*?b?*", "bxx", false],
  ["a**b", "a-b", true],
  ["a.c", "abc", false],
  ["(a+)+$", "(a+)+$", true],
  ["[a-z]", "a", false],
  ["\\*", "\\x", true],
  ["café*", "café au lait", true],
  ["über*", "ÜBERLAUF", true],
];

for (const [pattern, text, isMatch] of matches) {
  test(`${JSON.stringify(pattern)} ${isMatch ? "is the form of" : "is not the form of"} ${JSON.stringify(text)}`, () => {
    assert.is(new Glob(pattern).matches(text.toLowerCase(), newEffort()), isMatch);
  });
}

const hostile: [pattern: string, text: string][] = [
  ["*a".repeat(99) + "*b", "a".repeat(1024)],
  ["*" + "a".repeat(197) + "b*", "a".repeat(1024)],
  ["*b" + "a".repeat(197) + "*", "a".repeat(1024)],
  ["*" + "?".repeat(197) + "b*", "a".repeat(1024)],
  ["*" + "?a".repeat(98) + "b*", "a".repeat(1024)],
  ["*a?".repeat(66) + "b", "a".repeat(1024)],
];

for (const [pattern, text] of hostile) {
  test(`the hostile pattern ${pattern.slice(0, 12)}... costs less than a millisecond, whatever the message`, () => {
    const glob = new Glob(pattern);
    const judged = () => assert.is(glob.matches(text, newEffort()), false);
    for (let warm = 0; warm < 50; warm++) judged();
    const ms = Math.min(...Array.from({ length: 20 }, () => threadMs(judged)));
    assert.ok(ms < 1, `${ms} ms`);
  });
}

test("the cost of all patterns for an event is bounded, and an event beyond the bound passes", () => {
  const effort = newEffort();
  const glob = new Glob("*" + "?a".repeat(98) + "b*");
  for (let n = 0; n < 100; n++) glob.matches("a".repeat(1024), effort);
  assert.ok(effort.left <= 0);
  assert.is(new Glob("*a?").matches("aa", effort), false);
  assert.is(new Glob("*a").matches("aa", effort), true); // costs no effort
});

test.run();
