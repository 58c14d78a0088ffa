import { test } from "uvu";
import * as assert from "uvu/assert";
import { namesToStore, storedNames } from "../../plugins/integrated-backend/src/event/stored-names.ts";

const none = { id: "", username: "", email: "", ipAddress: "" };

const stored: readonly (readonly [claim: string, names: Partial<typeof none>, json: string])[] = [
  ["the names with the time of their event", { id: "7", email: "Ann@x" }, `[5,"7","","Ann@x",""]`],
  ["that there are none", {}, `[5,"","","",""]`],
  ["512 bytes", { id: "x".repeat(497) }, `[5,"${"x".repeat(497)}","","",""]`],
  ["nothing of 513 bytes", { id: "x".repeat(498) }, ""],
  ["nothing of 513 bytes in fewer characters", { id: `${"\u6f22".repeat(165)}xxx` }, ""],
];
for (const [claim, names, json] of stored)
  test(`a user's row holds ${claim}`, () => {
    assert.is(namesToStore({ ...none, ...names }, 5), json);
    if (json !== "") assert.equal(storedNames({ names: json, last_seen_at: 5 }), { ...none, ...names });
  });

test("names that are not known are not stored, and a row without names knows none", () => {
  assert.is(namesToStore(undefined, 5), "");
  assert.is(storedNames({ names: "", last_seen_at: 5 }), undefined);
});

test("the names of an event are not the names of a newer event that an earlier release counted", () => {
  assert.is(storedNames({ names: namesToStore({ ...none, id: "7" }, 5), last_seen_at: 6 }), undefined);
});

test("a name with a NUL is stored as both databases store it", () => {
  assert.is(storedNames({ names: namesToStore({ ...none, id: "a\0b" }, 5), last_seen_at: 5 })?.id, "a\ufffdb");
});

test.run();
