import { readFileSync } from "node:fs";
import { encode } from "@jridgewell/sourcemap-codec";
import { FlattenMap, decodedMappings, originalPositionFor } from "@jridgewell/trace-mapping";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { compileMap } from "../../../plugins/source-maps/src/mapping/compile.ts";
import { lookUp } from "../../../plugins/source-maps/src/mapping/look-up.ts";
import { bundle, type Files } from "../../support/source-maps/bundle.ts";
import { readerOf } from "../../support/source-maps/reader.ts";

const files: Files = {
  "main.ts": `
import Counter from "./Counter.svelte";
import { Basket, total } from "./basket.ts";
interface Item { readonly price: number }
export const emoji = "😀 surrogate pairs 😀"; export function afterEmoji(item: Item) { throw new Error(\`\${item.price}\`); }
export { Basket, Counter, total };
`,
  "basket.ts": `
export class Basket {
  #items: number[] = [];
  add = (price: number) => { this.#items.push(price); return this; };
  get sum(): number { return total(this.#items); }
}\r\nexport function total(prices: readonly number[]): number {\r\n  return prices.reduce((sum, price) => sum + price, 0);\r\n}
`,
  "Counter.svelte": `
<script lang="ts">
  let { step = 1 }: { step?: number } = $props();
  let count = $state(0);
  const add = () => { if (count > 10) throw new Error("too many"); count += step; };
</script>
<button onclick={add}>{count}</button>
{#if count > 5}<p>many</p>{/if}
<style>p { color: red }</style>
`,
};

/** Compares each segment, the columns around it, and the line's end with what trace-mapping finds. */
async function compare(map: string, every = 1): Promise<number> {
  const flat = FlattenMap(map);
  const { index, sources } = compileMap({ map: Buffer.from(map) });
  assert.equal(
    sources.map(({ content }) => (content ? Buffer.from(content).toString() : null)),
    flat.sourcesContent ?? sources.map(() => null),
  );
  const reader = readerOf(index);
  let compared = 0;
  for (const [line, segments] of decodedMappings(flat).entries()) {
    const columns = new Set([0, ...segments.flatMap(([column]) => [column - 1, column, column + 1])]);
    for (const column of columns) {
      if (column < 0 || compared++ % every !== 0) continue;
      const expected = originalPositionFor(flat, { line: line + 1, column });
      const found = await lookUp(reader, { line: line + 1, column: column + 1 });
      const got = found && {
        source: flat.resolvedSources[found.source] ?? null,
        line: found.line,
        column: found.column - 1,
        name: found.name ?? null,
      };
      const wanted = expected.line === null ? undefined : { ...expected };
      assert.equal(got, wanted, `line ${line + 1}, column ${column}`);
    }
  }
  return compared;
}

for (const minify of [false, true]) {
  test(`a ${minify ? "minified" : "readable"} bundle of TypeScript and Svelte is looked up as by trace-mapping`, async () => {
    const { map } = await bundle(files, { minify });
    assert.ok((await compare(map)) > 300);
  });
}

const modules = new URL("../../../node_modules/", import.meta.url);
for (const file of ["protobufjs/dist/protobuf.min.js.map", "prettier-plugin-svelte/plugin.js.map"]) {
  test(`the map ${file} is looked up as by trace-mapping`, async () => {
    const map = readFileSync(new URL(file, modules), "utf8");
    assert.ok((await compare(map, 11)) > 5_000);
  });
}

test("an index map is looked up as trace-mapping flattens it", async () => {
  const [one, other] = await Promise.all([bundle(files, { minify: true }), bundle(files, { minify: false })]);
  const section = (line: number, column: number, map: unknown) => ({ offset: { line, column }, map });
  const inner = { version: 3, sections: [section(0, 0, JSON.parse(other.map)), section(3, 2, JSON.parse(one.map))] };
  const sections = [
    section(0, 10, JSON.parse(one.map)),
    section(0, 400, JSON.parse(one.map)), // the first is longer, and ends here
    section(2, 0, inner), // at a column trace-mapping would move the inner one's later lines too
    section(60, 0, JSON.parse(other.map)),
  ];
  assert.ok((await compare(JSON.stringify({ version: 3, sections }))) > 500);
});

test("segments that lie at one position or out of order are looked up as by trace-mapping", async () => {
  const names = ["a", "b", "c"];
  const sources = ["x", "y", "z"];
  const mappings = encode([
    [
      [0, 0, 0, 0],
      [4, 0, 1, 2, 0],
      [4, 1, 1, 3, 1],
      [4, 2, 1, 4, 2],
      [9, 0, 5, 5],
      [9, 1, 5, 6, 1],
      [10, 0, 7, 7],
      [20],
    ],
    [[20, 0, 1, 1], [7, 1, 2, 2, 0], [7, 2, 3, 3, 1], [30], [2, 2, 4, 4, 2]],
    [],
    [[3, 0, 8, 8]],
  ]);
  assert.ok((await compare(JSON.stringify({ version: 3, names, sources, mappings }))) > 20);
});

test.run();
