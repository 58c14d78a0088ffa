import { BoundedMap } from "@faultline/plugin/flow";
import { test } from "uvu";
import * as assert from "uvu/assert";

test("the entry that was set longest ago makes room, and is reported", () => {
  const dropped: number[] = [];
  const map = new BoundedMap<string, number>(2, (value) => dropped.push(value));
  map.set("a", 1).set("b", 2).set("a", 3);
  assert.equal(dropped, []);
  map.set("c", 4);
  assert.equal(dropped, [2]);
  assert.equal(
    [...map],
    [
      ["a", 3],
      ["c", 4],
    ],
  );
});

test("deletions make room", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1).set("b", 2);
  map.delete("a");
  map.set("c", 3);
  assert.equal([...map.keys()], ["b", "c"]);
});

test.run();
