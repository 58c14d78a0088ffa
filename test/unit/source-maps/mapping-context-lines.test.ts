import { test } from "uvu";
import * as assert from "uvu/assert";
import { contextLines } from "../../../plugins/source-maps/src/mapping/context-lines.ts";

const twenty = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
const lines = (from: number, to: number) => twenty.slice(from - 1, to);

for (const end of ["\n", "\r\n", "\r", "\u2028"]) {
  test(`a line has five lines on each side where lines end in ${JSON.stringify(end)}`, () => {
    const text = twenty.join(end);
    assert.equal(contextLines(text, 10, 1), { before: lines(5, 9), line: "line 10", after: lines(11, 15) });
  });
}

test("the first and the last line have fewer", () => {
  const text = twenty.join("\n");
  assert.equal(contextLines(text, 1, 1), { before: [], line: "line 1", after: lines(2, 6) });
  assert.equal(contextLines(text, 2, 1), { before: lines(1, 1), line: "line 2", after: lines(3, 7) });
  assert.equal(contextLines(text, 20, 1), { before: lines(15, 19), line: "line 20", after: [] });
});

test("a line that is not there has none", () => {
  for (const line of [-1, 0, 21, 27, 1e9]) assert.is(contextLines(twenty.join("\n"), line, 1), undefined);
  assert.equal(contextLines("", 1, 1), { before: [], line: "", after: [] });
});

const digits = "0123456789".repeat(100);

test("a long line is cut to 140 around the column", () => {
  const at = (column: number) => contextLines(digits, 1, column)?.line;
  assert.is(at(1), `${digits.slice(0, 139)}…`);
  assert.is(at(501), `…${digits.slice(431, 569)}…`);
  assert.is(at(1000), `…${digits.slice(861)}`);
  assert.is(at(1e9), `…${digits.slice(861)}`);
});

test("the other lines are cut at their end", () => {
  const context = contextLines(`${digits}\nx\n${digits}`, 2, 500);
  assert.equal(context, { before: [`${digits.slice(0, 139)}…`], line: "x", after: [`${digits.slice(0, 139)}…`] });
});

test("no character is cut in half", () => {
  for (const column of [1, 500, 501, 999]) {
    const { line = "" } = contextLines("\u{1f600}".repeat(500), 1, column) ?? {};
    assert.ok(line.isWellFormed());
    assert.ok(line.length <= 140 && line.length >= 137);
  }
});

test.run();
