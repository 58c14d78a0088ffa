import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RecentChanges } from "../../backend/src/host/changes/change-stream.ts";

const test = suite("what changed before a watch began");

const changed = (keys: readonly string[], more = false, by = "") => ({
  keys: new Map(keys.map((key) => [key, by])),
  more,
});

test("the groups of the project that changed at the time or later are returned, each once", () => {
  const recent = new RecentChanges(0);
  recent.note(1, changed(["a", "b"]), 10);
  recent.note(11, changed(["elsewhere"]), 15);
  recent.note(1, changed(["b", "c"]), 20);
  assert.equal(recent.since(1, 10), changed(["a", "b", "c"]));
  assert.equal(recent.since(1, 11), changed(["b", "c"]));
  assert.equal(recent.since(1, 21), changed([]));
  assert.equal(recent.since(2, 10), changed([]));
});

test("changes from before the start of the service are unknown", () => {
  const recent = new RecentChanges(5);
  recent.note(1, changed(["a"]), 10);
  assert.equal(recent.since(1, 5), changed(["a"], true));
  assert.equal(recent.since(1, 6), changed(["a"]));
});

test("only the project's watchers learn that more changed than was named", () => {
  const recent = new RecentChanges(0);
  recent.note(1, changed(["a"], true), 10);
  assert.equal(recent.since(1, 10), changed(["a"], true));
  assert.equal(recent.since(1, 11), changed([]));
  assert.equal(recent.since(2, 10), changed([]));
});

test("once anything may have changed, the answer for each time before says so", () => {
  const recent = new RecentChanges(0);
  recent.note(1, changed(["a"]), 10);
  recent.forget(20);
  recent.note(1, changed(["b"]), 30);
  assert.equal(recent.since(1, 10), changed(["b"], true));
  assert.equal(recent.since(1, 21), changed(["b"]));
});

test("beyond the number of remembered groups the oldest are forgotten, and the answer says so", () => {
  const recent = new RecentChanges(0);
  recent.note(1, changed(["first"]), 10);
  recent.note(1, changed(["second"]), 11);
  recent.note(1, changed(["first"]), 12);
  const storm = Array.from({ length: 4_999 }, (_, n) => `group ${n}`);
  recent.note(2, changed(storm), 20);
  assert.equal(recent.since(1, 10), changed(["first"], true));
  assert.equal(recent.since(1, 12), changed(["first"]));
  assert.is(recent.since(2, 12).keys.size, 4_999);
});

test("the person who set a status is remembered, also after further events of the error", () => {
  const recent = new RecentChanges(0);
  recent.note(1, changed(["a"], false, "ann"), 10);
  recent.note(1, changed(["a"]), 20);
  assert.equal(recent.since(1, 20), changed(["a"], false, "ann"));
  recent.note(1, changed(["a"], false, "ben"), 30);
  assert.equal(recent.since(1, 20), changed(["a"], false, "ben"));
});

test.run();
