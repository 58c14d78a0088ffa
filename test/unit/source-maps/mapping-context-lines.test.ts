import { test } from "uvu";
import * as assert from "uvu/assert";
import {
  contextLines,
  type ContextLines,
  SlicedText,
} from "../../../plugins/source-maps/src/mapping/lines/context-lines.ts";
import {
  LineIndex,
  LineIndexer,
  lineIndexOf,
  sliceBytes,
} from "../../../plugins/source-maps/src/mapping/lines/line-index.ts";

/** The lines around a place of a text, and the slices that were read for them, where slices have so many bytes. */
async function read(text: string, line: number, column: number, bytes = sliceBytes) {
  const content = Buffer.from(text);
  const indexer = new LineIndexer(content.length);
  for (let at = 0; at < content.length; at += bytes) indexer.add(content.subarray(at, at + bytes));
  const slices: number[] = [];
  const sliced = new SlicedText(new LineIndex(indexer.bytes()), async ({ number, offset, length }) => {
    slices.push(number);
    return content.subarray(offset, offset + length);
  });
  return { context: await contextLines(sliced, line, column), slices };
}

const around = async (text: string, line: number, column: number): Promise<ContextLines | undefined> =>
  (await read(text, line, column)).context;

const twenty = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
const lines = (from: number, to: number) => twenty.slice(from - 1, to);

for (const end of ["\n", "\r\n", "\r", "\u2028"]) {
  test(`a line has five lines on each side where lines end in ${JSON.stringify(end)}`, async () => {
    const text = twenty.join(end);
    assert.equal(await around(text, 10, 1), { before: lines(5, 9), line: "line 10", after: lines(11, 15) });
  });
}

test("the first and the last line have fewer", async () => {
  const text = twenty.join("\n");
  assert.equal(await around(text, 1, 1), { before: [], line: "line 1", after: lines(2, 6) });
  assert.equal(await around(text, 2, 1), { before: lines(1, 1), line: "line 2", after: lines(3, 7) });
  assert.equal(await around(text, 20, 1), { before: lines(15, 19), line: "line 20", after: [] });
});

test("a line that is not there has none", async () => {
  for (const line of [-1, 0, 21, 27, 1e9]) assert.is(await around(twenty.join("\n"), line, 1), undefined);
  assert.equal(await around("", 1, 1), { before: [], line: "", after: [] });
});

const digits = "0123456789".repeat(100);

test("a long line is cut to 140 around the column", async () => {
  const at = async (column: number) => (await around(digits, 1, column))?.line;
  assert.is(await at(1), `${digits.slice(0, 139)}…`);
  assert.is(await at(501), `…${digits.slice(431, 569)}…`);
  assert.is(await at(1000), `…${digits.slice(861)}`);
  assert.is(await at(1e9), `…${digits.slice(861)}`);
});

test("the other lines are cut at their end", async () => {
  const context = await around(`${digits}\nx\n${digits}`, 2, 500);
  assert.equal(context, { before: [`${digits.slice(0, 139)}…`], line: "x", after: [`${digits.slice(0, 139)}…`] });
});

test("no character is cut in half", async () => {
  for (const column of [1, 500, 501, 999]) {
    const { line = "" } = (await around("\u{1f600}".repeat(500), 1, column)) ?? {};
    assert.ok(line.isWellFormed());
    assert.ok(line.length <= 140 && line.length >= 137);
  }
});

/** The lines around a place as they are read of a whole text. */
function ofWhole(text: string, line: number, column: number): ContextLines | undefined {
  const all = text.split(/\r\n|[\n\r\u2028\u2029]/);
  if (line < 1 || line > all.length) return undefined;
  const cut = (whole: string, wanted: number) => {
    if (whole.length <= 140) return whole;
    const start = Math.max(Math.min(Math.floor(wanted), whole.length - 140), 0);
    const [before, after] = [start > 0 ? "…" : "", start + 140 < whole.length ? "…" : ""];
    const kept = whole.slice(start + before.length, start + 140 - after.length);
    return `${before}${kept.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "")}${after}`;
  };
  return {
    before: all.slice(Math.max(line - 6, 0), line - 1).map((one) => cut(one, 0)),
    line: cut(all[line - 1] ?? "", column - 71),
    after: all.slice(line, line + 5).map((one) => cut(one, 0)),
  };
}

const long = `${"0123456789".repeat(40)}${"ä€\u{1f600}".repeat(60)}`;

const texts: [what: string, text: string][] = [
  ["with lines that end in all ways", "a\nb\r\nc\rd\u2028e\u2029\r\r\n\n\rf\r\n"],
  ["that ends in a carriage return", "1\r2\r\n3\r"],
  ["of empty lines", "\n".repeat(14)],
  ["of pairs", "\r\n".repeat(14)],
  ["of characters of all sizes", "aä€\u{1f600}\n€\u{1f600}\r\nä\u{1f600}\u2028".repeat(6)],
  ["with long lines", `${long}\n${long}\r\n\n${long}`],
  ["of a single long line", long.repeat(3)],
  ["with a byte order mark", "\ufeffa\nb"],
];

for (const [what, text] of texts) {
  test(`wherever a text ${what} is cut into slices, its lines are the lines of the whole text`, async () => {
    const lineCount = text.split(/\r\n|[\n\r\u2028\u2029]/).length;
    for (const bytes of [8, 9, 11, sliceBytes]) {
      for (let line = 0; line <= lineCount + 1; line += 1) {
        for (const column of [1, 431, 1e9]) {
          const { context } = await read(text, line, column, bytes);
          assert.equal(context, ofWhole(text, line, column), `${bytes} bytes, line ${line}, column ${column}`);
        }
      }
    }
  });
}

const short = `${"x".repeat(63)}\n`;
const reads: [what: string, text: string, place: readonly [line: number, column: number], slices: readonly number[]][] =
  [
    ["of short lines, one slice", short.repeat(16_384), [2_000, 1], [1]],
    ["of short lines, two slices at the end of one", short.repeat(16_384), [1_022, 1], [0, 1]],
    ["of one line of a mebibyte, the slice of the column", "x".repeat(2 ** 20), [1, 300_000], [4]],
    [
      "of lines of a mebibyte, slices at their starts and the column",
      `${"x".repeat(2 ** 20 - 1)}\n`.repeat(3),
      [2, 300_000],
      [15, 31, 47, 0, 20, 32],
    ],
    ["of a mebibyte of line ends, one slice", "\n".repeat(2 ** 20), [100_000, 1], [1]],
  ];

for (const [what, text, [line, column], slices] of reads) {
  test(`a place is read ${what}, and nothing else`, async () => {
    assert.equal((await read(text, line, column)).slices, slices);
  });
}

test("a source has an index where it has more than one slice, of 12 bytes for each", () => {
  assert.is(lineIndexOf(undefined), undefined);
  assert.is(lineIndexOf(Buffer.alloc(sliceBytes, "x")), undefined);
  assert.is(lineIndexOf(Buffer.alloc(sliceBytes + 1, "x"))?.length, 24);
  assert.is(lineIndexOf(Buffer.alloc(16 * sliceBytes, "\n"))?.length, 16 * 12);
});

for (const [what, bytes] of [
  ["starts of characters alone", Buffer.alloc(300, 0xe2)],
  ["continued characters alone", Buffer.alloc(300, 0x80)],
  ["bytes that no text has", Buffer.alloc(300, 0xff)],
] as const) {
  test(`a source that is not UTF-8 is read: ${what}`, async () => {
    const indexer = new LineIndexer(bytes.length);
    for (let at = 0; at < bytes.length; at += 16) indexer.add(bytes.subarray(at, at + 16));
    const text = new SlicedText(new LineIndex(indexer.bytes()), async ({ offset, length }) =>
      bytes.subarray(offset, offset + length),
    );
    assert.is((await contextLines(text, 1, 1))?.line.length, 140);
  });
}

test("a source that does not belong to its index is an error", async () => {
  const indexer = new LineIndexer(4);
  indexer.add(Buffer.from("text"));
  const text = new SlicedText(new LineIndex(indexer.bytes()), async () => Buffer.from("other"));
  const failed = await contextLines(text, 1, 1).catch((error: unknown) => error);
  assert.match(String(failed), /not the one that its index was made of/);
});

test.run();
