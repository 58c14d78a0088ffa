import { test } from "uvu";
import * as assert from "uvu/assert";
import { compileMap } from "../../../plugins/source-maps/src/mapping/compile.ts";
import { lookUp } from "../../../plugins/source-maps/src/mapping/look-up.ts";
import {
  MapError,
  type MapVerdict,
  mapLimits,
  type MapLimits,
} from "../../../plugins/source-maps/src/mapping/map-limits.ts";
import { readerOf } from "../../support/source-maps/reader.ts";

const plain = { version: 3, sources: ["a.ts"], names: ["a"], mappings: "AAAAA" };
const json = (fields: object) => JSON.stringify({ ...plain, ...fields });
const section = (line: number, column: number, map: object = plain) => ({ offset: { line, column }, map });
const indexMap = (...sections: object[]) => JSON.stringify({ version: 3, sections });
const nested = (depth: number): object =>
  depth === 0 ? plain : { version: 3, sections: [section(0, 0, nested(depth - 1))] };

type Case = readonly [claim: string, map: string, sentence: RegExp];

const damaged: Case[] = [
  ["that is empty", "", /JSON ends in the middle/],
  ["that is a page of HTML", "<!doctype html>", /JSON cannot be read at byte 0/],
  ["that is a list", "[1]", /not a JSON object/],
  ["that is a text", '"a"', /not a JSON object/],
  ["that is null", "null", /not a JSON object/],
  ["that is cut off", json({}).slice(0, -3), /no end/],
  ["that is cut off between fields", '{"version":3,', /no end/],
  ["with more text behind it", `${json({})}x`, /more text follows/],
  ["with a comma too many", '{"version":3,}', /cannot be read at byte 13/],
  ["with brackets that do not fit", '{"version":3,"sources":["a"},"mappings":""]', /cannot be read at byte/],
  ["with a number that is none", json({}).replace(":3", ":3.x"), /value at byte/],
  ["of lists in lists without end", "[".repeat(1_000_000), /no end/],
  ["of lists in lists", `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`, /not a JSON object/],
  ["without a version", json({ version: undefined }), /version is missing/],
  ["of version 2", json({ version: 2 }), /version is 2, not 3/],
  ['of version "3"', json({ version: "3" }), /version is missing, or not 3/],
  ["without mappings", json({ mappings: undefined }), /mappings are missing/],
  ["whose mappings are a list", json({ mappings: [[[0]]] }), /mappings are missing or no text/],
  ["without sources", json({ sources: undefined }), /sources are missing/],
  ["whose sources are an object", json({ sources: {} }), /sources are not a list/],
  ["with a source that is a number", json({ sources: [1] }), /sources is neither a text nor null/],
  ["with a name that is a list", json({ names: ["a", []] }), /names is neither a text nor null/],
  ["with a character that is no Base64", json({ mappings: "AAAA,A!AA" }), /read at character 6/],
  ["with a character that is no ASCII", json({ mappings: "AAAä" }), /read at character 3/],
  ["with a number that does not end", json({ mappings: "AAAg" }), /read at character 4/],
  ["with a number that only goes on", json({ mappings: "g".repeat(100) }), /number without end/],
  ["with a segment of 2 numbers", json({ mappings: "AA" }), /read at character 2/],
  ["with a segment of 3 numbers", json({ mappings: "AAA,AAAA" }), /read at character 3/],
  ["with a number of more than 32 bits", json({ mappings: "ggggggE" }), /beyond 32 bits/],
  ["with a column that adds up to more", json({ mappings: "+/////D,C" }), /column beyond 32 bits/],
  ["with a negative column", json({ mappings: "D" }), /column below zero/],
  ["with a negative source", json({ mappings: "ADAA" }), /source below zero/],
  ["with a negative original line", json({ mappings: "AADA" }), /original line below zero/],
  ["with a negative original column", json({ mappings: "AAAD" }), /original column below zero/],
  ["with a negative name", json({ mappings: "AAAAD" }), /name below zero/],
  ["with minus zero, which is the smallest number", json({ mappings: "B" }), /column below zero/],
  ["with a source that does not exist", json({ mappings: "ACAA" }), /source 1, and it has only 1/],
  ["whose section has a url", indexMap({ offset: { line: 0, column: 0 }, url: "a.map" }), /by its url/],
  ["whose section is null", '{"version":3,"sections":[null]}', /section is not an object/],
  ["whose section has no offset", indexMap({ map: plain }), /lacks its map or its offset/],
  ["whose section has no column", indexMap({ offset: { line: 0 }, map: plain }), /not a line and a column/],
  ["whose section begins below zero", indexMap(section(-1, 0)), /not a line and a column/],
  ["whose section begins too far behind", indexMap(section(1e12, 0)), /not a line and a column/],
  ["whose section has version 2", indexMap(section(0, 0, { ...plain, version: 2 })), /version is 2/],
  ["whose sections are out of order", indexMap(section(1, 0), section(0, 0)), /not in order/],
];

const limits: MapLimits = { ...mapLimits, segments: 3, sources: 2, names: 2, sections: 2, sectionDepth: 2 };
const large: Case[] = [
  ["of too many mappings", json({ mappings: "AAAA,C;A,A" }), /more than 3 mappings/],
  [
    "of too many mappings in all sections",
    indexMap(section(0, 0, { ...plain, mappings: "A,C" }), section(1, 0, { ...plain, mappings: "A,C" })),
    /more than 3 mappings/,
  ],
  ["of too many sources", json({ sources: [null, null, null] }), /more than 2 sources/],
  ["of too many names", json({ names: ["a", "b", "c"] }), /more than 2 names/],
  ["of too many sections", indexMap(section(0, 0), section(1, 0), section(2, 0)), /more than 2 sections/],
  ["of index maps in index maps", JSON.stringify(nested(3)), /more than 2 index maps within each other/],
];

function refused(map: string, verdict: MapVerdict, sentence: RegExp, withLimits?: MapLimits): void {
  try {
    compileMap({ map: Buffer.from(map) }, withLimits);
  } catch (error) {
    assert.instance(error, MapError);
    const { verdict: given, message } = error as MapError;
    assert.is(given, verdict);
    assert.match(message, sentence);
    assert.match(message, /^The source map .+\. \w.+\.$/); // what is wrong, and what to do
    return;
  }
  assert.unreachable("it is compiled");
}

for (const [claim, map, sentence] of damaged) {
  test(`a map ${claim} is refused as damaged`, () => refused(map, "map_malformed", sentence));
}

for (const [claim, map, sentence] of large) {
  test(`a map ${claim} is refused as too large`, () => refused(map, "map_too_large", sentence, limits));
}

test("a large text in a line, and one of separators only, are no hindrance", () => {
  const map = json({ mappings: ";,".repeat(1_000_000), x_unknown: "x".repeat(1_000_000) });
  assert.ok(compileMap({ map: Buffer.from(map) }).index.length < 1_000);
});

test("an index that is cut off, damaged or of another version is not read", async () => {
  const { index } = compileMap({ map: Buffer.from(json({})) });
  const at = { line: 1, column: 1 };
  assert.ok(await lookUp(readerOf(index), at));
  const other = new Uint8Array(index);
  other[4] = 99;
  for (const bytes of [new Uint8Array(), new Uint8Array(100), index.subarray(0, 20), index.subarray(0, -1), other]) {
    const failed = await lookUp(readerOf(bytes), at).catch((error: Error) => error);
    assert.instance(failed, Error);
  }
});

test.run();
