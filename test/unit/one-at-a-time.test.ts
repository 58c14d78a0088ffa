import { test } from "uvu";
import * as assert from "uvu/assert";
import { OneAtATime } from "../../plugins/http-bridge/src/ingest/endpoints.ts";

const once = () => new Promise((resolve) => setImmediate(resolve));

/** Work that notes when it begins and when it ends, and fails when its name says so. */
function work(name: string, notes: string[]) {
  return async () => {
    notes.push(`${name} begins`);
    await once();
    notes.push(`${name} ends`);
    if (name.startsWith("bad")) throw new Error(name);
    return name;
  };
}

test("work of a project begins when what came before has ended, well or not", async () => {
  const steps = new OneAtATime();
  const notes: string[] = [];
  const ends = await Promise.allSettled(["a", "bad", "b"].map((name) => steps.run(1, work(name, notes))));
  assert.equal(notes, ["a begins", "a ends", "bad begins", "bad ends", "b begins", "b ends"]);
  assert.equal(
    ends.map((end) => (end.status === "fulfilled" ? end.value : "failed")),
    ["a", "failed", "b"],
  );
});

test("work of several projects runs concurrently", async () => {
  const steps = new OneAtATime();
  const notes: string[] = [];
  await Promise.all([steps.run(1, work("a", notes)), steps.run(2, work("b", notes))]);
  assert.equal(notes, ["a begins", "b begins", "a ends", "b ends"]);
});

test.run();
