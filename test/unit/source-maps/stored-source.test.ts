import { test } from "uvu";
import * as assert from "uvu/assert";
import { readSource, writeSources } from "../../../plugins/source-maps/src/uploads/stored-source.ts";
import { readerOf } from "../../support/source-maps/reader.ts";

const sources = [
  { name: "a.ts", isIgnored: false, blobId: 7 },
  { name: 'ü😀"\n', isIgnored: true, blobId: null },
  { name: "", isIgnored: false, blobId: 8 },
];

test("each source is read by its place in the list, and there is none behind the last", async () => {
  const list = readerOf(writeSources(sources));
  for (const [n, source] of sources.entries()) assert.equal(await readSource(list, n), source);
  assert.is(await readSource(list, sources.length), undefined);
  assert.is(await readSource(list, 100_000), undefined);
  assert.is(await readSource(readerOf(writeSources([])), 0), undefined);
});

test("a name is cut to 4,096 units", async () => {
  const list = readerOf(writeSources([{ name: "x".repeat(5_000), isIgnored: false, blobId: null }]));
  assert.is((await readSource(list, 0))?.name, "x".repeat(4_096));
});

test.run();
