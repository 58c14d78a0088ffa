import { LoopSlices } from "@faultline/plugin/flow";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { ExaminedEvent } from "../../plugins/integrated-backend/src/event/examined-event.ts";
import { examine } from "../../plugins/integrated-backend/src/event/examined-event.ts";
import { Tally } from "../../plugins/integrated-backend/src/breakdown/tally.ts";
import type { UsualKey } from "../../plugins/integrated-backend/src/breakdown/usual-facts.ts";

/** How the examined events of an error are counted, and which keys come first. */

const noRow = { project_id: 1, error_id: 1, received_at: 0, title: "", release: "", environment: "", level: "" };

function event(n: number, tags: Record<string, string>, user = ""): ExaminedEvent {
  const row = { ...noRow, id: n, event_id: Buffer.alloc(16, n), occurred_at: n * 1000, user };
  return examine(row, Buffer.from(JSON.stringify({ tags })));
}

const usually = (key: string, ...values: [value: string, count: number][]): [string, UsualKey] => [
  key,
  { eventCount: values.reduce((sum, [, count]) => sum + count, 0), values: new Map(values) },
];

async function breakdown(events: readonly ExaminedEvent[], ...usual: [string, UsualKey][]) {
  const tally = new Tally();
  for (const one of events) tally.add(one);
  const answer = await tally.breakdown({ eventCount: 100, keys: new Map(usual) }, { slices: new LoopSlices() });
  return { ...answer, tags: answer.tags ?? [], users: answer.users ?? [] };
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

test("the key with the least usual value comes first, and a key with a new value in each event last", async () => {
  const events = numbers(100).map((n) => event(n, { id: `${n}`, plan: "gold", browser: "Safari", region: "eu" }));
  const { tags } = await breakdown(
    events,
    usually("plan", ["gold", 50], ["free", 50]),
    usually("browser", ["Safari", 10], ["Chrome", 90]),
    usually("region", ["eu", 100]),
  );
  assert.equal(
    tags.map(({ key }) => key),
    ["browser", "plan", "region", "id"],
  );
  assert.equal(tags[0]?.values, [{ value: "Safari", eventCount: 100, usualShare: 0.1 }]);
});

test("a share that fewer than ten events decide is not compared", async () => {
  const { tags } = await breakdown([event(1, { a: "x" })], usually("a", ["x", 9]));
  assert.equal(tags[0]?.values, [{ value: "x", eventCount: 1 }]);
});

test("1,000 distinct values, 10,000 keys and 1,000 users are counted and cut", async () => {
  const events = numbers(1_000).map((n) =>
    event(n, { id: `${n}`, ...Object.fromEntries(numbers(10).map((at) => [`k${n}.${at}`, "v"])) }, `id:${n}`),
  );
  const answer = await breakdown(events);
  const id = answer.tags.find(({ key }) => key === "id");
  assert.is(id, undefined, "a key with another value in each event is not among the most distinctive");
  assert.equal([answer.tags.length, answer.otherTagCount], [30, 970]);
  assert.equal([answer.users.length, answer.userCount], [100, 1_000]);
});

test("the newest event of a user is found in any order", async () => {
  const { users } = await breakdown([event(3, {}, "id:1"), event(5, {}, "id:1"), event(1, {}, "id:1")]);
  assert.equal(
    users.map(({ eventCount, newestEventId }) => [eventCount, newestEventId?.slice(0, 2)]),
    [[3, "05"]],
  );
});

const payloads: [what: string, json: string][] = [
  ["no JSON", "{"],
  ["a list", "[]"],
  ["nothing", ""],
  ["deep nesting", `{"tags":${"[".repeat(500)}${"]".repeat(500)}}`],
];

for (const [what, json] of payloads) {
  test(`an event of ${what} has the facts of its row alone`, () => {
    const row = { ...noRow, id: 1, event_id: Buffer.alloc(16), occurred_at: 0, user: "", level: "error" };
    assert.equal(examine(row, Buffer.from(json)).facts, [["level", "error", true]]);
  });
}

test.run();
