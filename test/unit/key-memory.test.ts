import { mock } from "node:test";
import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { KeyMemory, type FoundKey, type Known } from "../../backend/src/services/client-keys/key-memory.ts";

const test = suite("what is known of client keys");

const good: FoundKey = { keyId: 1, projectId: 7, closed: undefined, allowedOrigins: [], limits: undefined };
const closed: Known = { ...good, closed: { outcome: "not_active", message: "It is off." } };
const down = Object.assign(new Error("connection refused"), { code: "08006", severity: "FATAL" });

/** A memory over a database that the test lets answer, fail or hang. */
function memoryOf(first: Known | Error | "silent" = good) {
  const clock = { at: 0, now: () => clock.at };
  const database = { answer: first, asked: 0 };
  const memory = new KeyMemory({
    clock,
    find: () => {
      database.asked++;
      const { answer } = database;
      if (answer instanceof Error) return Promise.reject(answer);
      return answer === "silent" ? new Promise(() => undefined) : Promise.resolve(answer);
    },
  });
  return { memory, database, clock };
}

/** Its reason. */
async function refusal(asked: Known | Promise<Known>): Promise<ErrorReason> {
  const thrown = await Promise.resolve(asked).then(
    (known) => known,
    (error: unknown) => error,
  );
  if (thrown instanceof ServiceError) return thrown.reason;
  throw new Error(`no refusal: ${JSON.stringify(thrown)}`);
}

test("a key is looked up once, also by simultaneous requests, until it is doubted", async () => {
  const { memory, database } = memoryOf();
  assert.equal(await Promise.all([memory.get("a"), memory.get("a")]), [good, good]);
  assert.is(memory.get("a"), good);
  assert.is(database.asked, 1);
  memory.doubt();
  database.answer = "unknown";
  assert.is(await memory.get("a"), "unknown");
  assert.is(memory.get("a"), "unknown");
});

test("a key that was read while something changed is good while the database is down, but not one that may be gone", async () => {
  for (const [change, known] of [
    ["doubt", good],
    ["forget", undefined],
  ] as const) {
    const { memory, database } = memoryOf();
    const asked = memory.get("a");
    if (change === "doubt") memory.doubt();
    else memory.forget(good.keyId);
    assert.is(await asked, good);
    database.answer = down;
    if (known) assert.is(await memory.get("a"), known);
    else assert.is(await refusal(memory.get("a")), ErrorReason.STORAGE_UNAVAILABLE);
    assert.is(database.asked, 2, "it was asked again");
  }
});

test("an answer that a later question overtook is forgotten", async () => {
  const answers = [Promise.withResolvers<Known>(), Promise.withResolvers<Known>()];
  let asked = 0;
  const memory = new KeyMemory({
    clock: { now: () => 0 },
    find: () => answers[asked++]?.promise ?? Promise.reject(down),
  });
  const before = memory.get("a");
  memory.doubt();
  const after = memory.get("a");
  answers[1]?.resolve(closed);
  assert.is(await after, closed);
  answers[0]?.resolve(good);
  assert.is(await before, good);
  assert.is(memory.get("a"), closed);
});

test("an answer from before a change is not remembered after it", async () => {
  const { memory, database } = memoryOf();
  const before = memory.get("a");
  memory.doubt();
  database.answer = closed;
  const after = memory.get("a");
  assert.equal(await Promise.all([before, after]), [good, closed]);
  assert.is(memory.get("a"), closed);
});

test("while the database is down a key that was good stays good; others are refused for now", async () => {
  const { memory, database, clock } = memoryOf();
  await memory.get("a");
  memory.doubt();
  database.answer = down;
  assert.is(await memory.get("a"), good);
  assert.is(memory.get("a"), good); // the failure is fresh, and nobody asks again
  assert.is(database.asked, 2);
  assert.is(await refusal(memory.get("b")), ErrorReason.STORAGE_UNAVAILABLE);
  assert.is(database.asked, 2);
  clock.at += 500;
  assert.is(await refusal(memory.get("b")), ErrorReason.STORAGE_UNAVAILABLE);
  assert.is(database.asked, 3);
  for (let doubts = 0; doubts < 100; doubts++) {
    memory.doubt();
    clock.at += 500;
    assert.is(await memory.get("a"), good);
  }
});

test("a key that was closed or unknown is not refused as such while the database is down", async () => {
  for (const answer of [closed, "unknown"] as const) {
    const { memory, database } = memoryOf(answer);
    await memory.get("a");
    memory.doubt();
    database.answer = down;
    assert.is(await refusal(memory.get("a")), ErrorReason.STORAGE_UNAVAILABLE);
  }
});

test("a key announced as deleted is no longer accepted, whatever the database answers", async () => {
  const { memory, database } = memoryOf();
  await memory.get("a");
  memory.forget(1);
  database.answer = down;
  assert.is(await refusal(memory.get("a")), ErrorReason.STORAGE_UNAVAILABLE);
});

test("as soon as the database answers again the first request sees what changed", async () => {
  const { memory, database, clock } = memoryOf();
  await memory.get("a");
  memory.doubt();
  database.answer = down;
  await memory.get("a");
  database.answer = "unknown";
  assert.is(memory.get("a"), good);
  clock.at += 500;
  assert.is(await memory.get("a"), "unknown");
});

test("while a database does not answer, one request at a time waits, for two seconds", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const { memory, database, clock } = memoryOf();
    await memory.get("a");
    memory.doubt();
    database.answer = "silent";
    const first = memory.get("a");
    assert.instance(first, Promise);
    clock.at += 2_000;
    mock.timers.tick(2_000);
    assert.is(await first, good);
    assert.is(memory.get("a"), good);
    clock.at += 500;
    memory.doubt();
    const second = memory.get("a");
    assert.instance(second, Promise);
    assert.is(memory.get("a"), good);
    mock.timers.tick(2_000);
    assert.is(await second, good);
    assert.is(database.asked, 3);
  } finally {
    mock.timers.reset();
  }
});

test("an error that is not a failure of the database is thrown unchanged", async () => {
  const { memory, database } = memoryOf();
  await memory.get("a");
  memory.doubt();
  database.answer = new TypeError("a fault of ours");
  const thrown = await Promise.resolve(memory.get("a")).catch((error: unknown) => error);
  assert.instance(thrown, TypeError);
});

test("a flood of guesses makes no key forgotten", async () => {
  const { memory, database } = memoryOf();
  await memory.get("a");
  database.answer = "unknown";
  for (let guess = 0; guess < 20_000; guess++) await memory.get(`guess ${guess}`);
  const { asked } = database;
  assert.is(memory.get("a"), good);
  assert.is(memory.get("guess 19999"), "unknown");
  assert.is(database.asked, asked);
});

test.run();
