import type { NewValue } from "@faultline/plugin";
import { printSearch } from "@faultline/plugin/search";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { askedValues, isFirstMatch, termsBeside } from "../../../plugins/notifier/src/signals/new-values.ts";

const tag = (name: string, value: string, ...earlier: string[]): NewValue => ({ kind: "tag", name, value, earlier });
const level = (value: string, ...earlier: string[]): NewValue => ({ kind: "level", name: "", value, earlier });

const cases: readonly (readonly [filter: string, value: NewValue, isFirst: boolean])[] = [
  ["environment:production", tag("environment", "production", "staging"), true],
  ["environment:production", tag("environment", "qa", "staging"), false],
  ["environment:production", tag("release", "production"), false],
  ["environment:[production, live]", tag("environment", "live", "production"), false],
  ["!environment:staging", tag("environment", "qa", "staging"), true],
  ["!environment:staging", tag("environment", "production", "qa"), false],
  ["!environment:staging", tag("environment", "production"), false], // events without one had met it
  ["release:shop@2.*", tag("release", "shop@2.0.1", "shop@1.9.0"), true],
  ["release:shop@2.*", tag("release", "shop@2.0.1", "shop@2.0.0"), false],
  ["release:>=2.0.0", tag("release", "shop@2.1.0", "shop@1.9.0"), true],
  ["release:>=2.0.0 !release:shop@2.1.0", tag("release", "shop@2.1.0", "shop@1.9.0"), false],
  ["has:tenant", tag("tenant", "acme"), true],
  ["has:tenant", tag("tenant", "acme", "other"), false],
  ["level:[error, fatal]", level("fatal", "warning"), true],
  ["level:[error, fatal]", level("fatal", "warning", "error"), false],
  ["tags[level]:fatal", level("fatal"), false],
  ["tags[level]:fatal", tag("level", "fatal"), true],
  ["title:fatal", tag("environment", "fatal"), false],
  ["user.email:a@example.com", tag("user.email", "a@example.com"), false],
];

for (const [filter, value, isFirst] of cases) {
  const { name, value: text, earlier } = value;
  test(`${filter} is ${isFirst ? "" : "not "}first met by ${name || "the level"} ${text} after [${earlier.join()}]`, () => {
    assert.is(isFirstMatch(filter, value), isFirst);
    if (!isFirst) return;
    const asks = askedValues(filter).some(
      (asked) =>
        asked.name === name && (asked.isExact ? value.value === asked.text : value.value.startsWith(asked.text)),
    );
    assert.ok(asks, "asked for");
  });
}

test("the terms besides a first match are terms of other names, and terms that exclude other values", () => {
  const beside = (filter: string) => printSearch(termsBeside(filter, tag("environment", "production")));
  assert.is(beside("environment:production level:fatal title:pay"), "level:fatal message:pay");
  assert.is(beside("all:environment:production"), "all:environment:production");
});

test.run();
