import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  isColumnMissing,
  sourceLines,
} from "../../../console/src/routes/[...project]/-/error_tracking/[id]/(error)/details/event/trace/source-lines.ts";
import { frame } from "../../support/console/console-messages.ts";

const lines = suite("lines of source");

/** A minified line in which the call begins with `!`. */
const longLine = (before: number, after: number) => `${"a".repeat(before)}!${"z".repeat(after)}`;
const of = (contextLine: string, colno: number, isCut: boolean) => {
  const given = frame({ lineno: 1, colno, contextLine });
  const [line] = sourceLines(given, isCut);
  assert.ok(line);
  return { ...line, isMissing: isColumnMissing(given) };
};

lines("a long line is cut around the column, and marked there", () => {
  const { before, marked, after } = of(longLine(700, 300), 701, true);
  assert.equal([before, marked, after], [`…${"a".repeat(60)}`, "!", `${"z".repeat(139)}…`]);
});

lines("all of it is kept where all is shown, and marked", () => {
  const { before, marked, after } = of(longLine(700, 300), 701, false);
  assert.equal([before.length, marked, after.length], [700, "!", 300]);
});

lines("near its ends it is cut at one side", () => {
  const start = of(longLine(5, 995), 6, true);
  assert.equal([start.before, start.marked, start.after.length], ["aaaaa", "!", 195]);
  const end = of(longLine(999, 0), 1000, true);
  assert.equal([end.before.length, end.marked, end.after], [200, "!", ""]);
});

lines("a line that an SDK or a limit cut says where the column is", () => {
  for (const mark of ["{snip} ", "'{snip} "]) {
    const { marked, isMissing } = of(`${mark}${longLine(59, 300)} {snip}`, 51_987, true);
    assert.equal([marked, isMissing], ["!", false]);
  }
});

lines("a column that the text does not hold is said to be missing", () => {
  for (const text of ["x".repeat(1_200), `{snip} ${"x".repeat(40)}`.padEnd(7 + 140)]) {
    const { marked, isMissing } = of(text, 51_987, true);
    assert.equal([marked, isMissing], ["", text.length > 200]); // of a short line nothing is said
  }
});

lines("short lines, and frames without a column, are as they were", () => {
  assert.equal(of("  charge(card);", 3, true), {
    number: 1,
    isErroring: true,
    before: "  charge(card);",
    marked: "",
    after: "",
    isMissing: false,
  });
  assert.is(of("x".repeat(1_000), 0, false).before?.length, 1_000);
  const around = frame({ lineno: 2, contextLine: "b", preContext: ["y".repeat(300)], postContext: ["c"] });
  assert.equal(
    sourceLines(around, true).map(({ number, before }) => [number, before.length]),
    [
      [1, 201],
      [2, 1],
      [3, 1],
    ],
  );
});

lines.run();
