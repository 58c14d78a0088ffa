import { test } from "uvu";
import * as assert from "uvu/assert";
import { tableOf } from "../../backend/src/cli/output.ts";

/** The tables that the command line prints at a terminal. */

const heading = (text: string) => text.toUpperCase();
const at = (width: number) => ({ width, heading });

test("a list has a line for each entry, with columns as wide as their values, and numbers to the right", () => {
  const rows = [
    { id: "1", title: "Error: no cart", count: 7, resolved: false, tags: [], release: null },
    { id: "12", title: "Panic", count: 1200, resolved: true, tags: ["a", "b"], release: null },
  ];
  assert.is(
    tableOf(rows, at(80)),
    [
      "ID  TITLE           COUNT  RESOLVED  TAGS",
      "1   Error: no cart      7  no",
      "12  Panic            1200  yes       a, b",
      "",
    ].join("\n"),
  );
  assert.is(tableOf(rows, at(80), ["title", "id"]), "TITLE           ID\nError: no cart  1\nPanic           12\n");
});

test("no line is wider than the terminal: last columns are left out, and the widest are cut", () => {
  const row = { id: "1", title: "x".repeat(100), culprit: "y".repeat(100), level: "error", platform: "node" };
  for (const width of [20, 40, 60, 80, 120]) {
    for (const line of tableOf([row, row], at(width)).split("\n")) assert.ok(line.length <= width, `${width}: ${line}`);
  }
  const wide = tableOf([{ id: "1", title: "界".repeat(20) }], at(28));
  assert.is(wide, `ID  TITLE\n1   ${"界".repeat(11)}…\n`, "a wide letter takes two columns");
});

test("times are read in the time zone of the machine, without seconds", () => {
  const now = new Date(2026, 4, 1, 10, 20, 30).toISOString();
  assert.is(tableOf([{ at: now }], at(80)), "AT\n2026-05-01 10:20\n");
});

test("a text of a stranger moves no cursor, colours nothing and does not turn the line around", () => {
  const text = tableOf([{ title: "a\u001b[2J\u001b]0;x\u0007b\r\nc\u202ed\u009be" }], at(80));
  assert.is(text, "TITLE\na\ufffd[2J\ufffd]0;x\ufffdb c\ufffdd\ufffde\n");
  assert.not.match(tableOf({ title: "\u001b[31m", below: { text: "\u009b" } }, at(80)), /(?!\n)\p{Cc}/u);
});

test("an object has a line for each field, and its lists below", () => {
  const body = { id: 3, spike: { count: 5, unit: null }, channels: [1, 2], attempts: [{ status: 400 }], none: [] };
  assert.is(
    tableOf(body, at(80)),
    [
      "ID           3",
      "SPIKE.COUNT  5",
      "SPIKE.UNIT",
      "CHANNELS     1, 2",
      "NONE",
      "",
      "ATTEMPTS",
      "STATUS",
      "   400",
      "",
    ].join("\n"),
  );
});

test("a list whose entries have lists is printed one object after the other", () => {
  const exceptions = [
    { type: "Error", frames: [{ line: 3 }, { line: 12 }] },
    { type: "Cause", frames: [] },
  ];
  assert.is(
    tableOf({ exceptions }, at(80)),
    "\nEXCEPTIONS 1 OF 2\nTYPE  Error\n\nFRAMES\nLINE\n   3\n  12\n\nEXCEPTIONS 2 OF 2\nTYPE    Cause\nFRAMES\n",
  );
});

test.run();
