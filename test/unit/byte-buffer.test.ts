import { randomBytes } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ByteBuffer } from "../../plugins/http-bridge/src/ingest/body/byte-buffer.ts";

const test = suite("gathered pieces");

const lists: readonly (readonly [name: string, sizes: readonly number[]])[] = [
  ["no piece", []],
  ["one small piece", [5]],
  ["small pieces", [1, 2, 3, 4_000, 90, 5]],
  ["large pieces", [65_536, 4_096, 70_000]],
  ["small pieces between large ones", [1, 65_536, 1, 1, 4_096, 4_095, 1, 2, 5_000, 3]],
  ["10,000 pieces of one byte", Array<number>(10_000).fill(1)],
];

for (const [name, sizes] of lists) {
  test(`${name} come out as they came`, () => {
    const pieces = sizes.map((size) => randomBytes(size));
    const gathered = new ByteBuffer();
    for (const piece of pieces) gathered.push(Buffer.from(piece));
    const all = Buffer.concat(pieces);
    assert.is(gathered.size, all.length);
    assert.ok(gathered.take().equals(all));
    assert.equal([gathered.size, gathered.take().length], [0, 0]);
  });
}

test("a lone piece is handed back without a copy", () => {
  const piece = randomBytes(100);
  const gathered = new ByteBuffer();
  gathered.push(piece);
  assert.is(gathered.take(), piece);
});

test.run();
