import { FairQueue, type QueueBounds, type Turn } from "@faultline/plugin/flow";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const test = suite("fair queue");

/** Tasks that end when the test says so, by name, in the order in which they began. */
class Tasks {
  readonly begun: string[] = [];
  readonly refused: string[] = [];
  readonly #queue: FairQueue;
  readonly #ends = new Map<string, () => void>();

  constructor(bounds: QueueBounds) {
    this.#queue = new FairQueue(bounds);
  }

  add(name: string, owners: Turn["owners"], turn: Omit<Turn, "owners"> = {}): void {
    const task = () => {
      this.begun.push(name);
      return new Promise<void>((resolve) => this.#ends.set(name, resolve));
    };
    this.#queue.run({ owners, ...turn }, task).catch(() => this.refused.push(name));
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.();
    await settled();
  }

  get underWay(): number {
    return this.#queue.underWay;
  }
}

/** Resolves when all promises that can continue have continued. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test("owners take turns, however many tasks one of them has waiting", async () => {
  const tasks = new Tasks({ atOnce: 1 });
  for (const name of ["a1", "a2", "a3"]) tasks.add(name, ["a"]);
  tasks.add("b1", ["b"]);
  for (const name of ["a1", "a2", "b1", "a3"]) {
    await settled();
    assert.is(tasks.begun.at(-1), name);
    await tasks.end(name);
  }
  assert.is(tasks.underWay, 0);
});

test("owners may have different numbers of tasks running", async () => {
  const tasks = new Tasks({ atOnce: 9, ofOwner: (owner) => (owner === "slow" ? 2 : 4) });
  for (const name of ["a1", "a2", "a3"]) tasks.add(name, ["a", "slow"]);
  for (const name of ["b1", "b2", "b3", "b4", "b5"]) tasks.add(name, ["b"]);
  await settled();
  assert.equal(tasks.begun, ["a1", "a2", "b1", "b2", "b3", "b4"]);
});

test("tasks of an owner that go ahead and others wait within one bound", async () => {
  const tasks = new Tasks({ atOnce: 1, waitingOfOwner: 2 });
  tasks.add("a1", ["a"]);
  await settled();
  tasks.add("a2", ["a"], { isAhead: true });
  tasks.add("a3", ["a"]);
  for (const isAhead of [true, false]) tasks.add(`a4 ${isAhead}`, ["a"], { isAhead });
  await settled();
  assert.equal(tasks.refused, ["a4 true", "a4 false"]);
});

test("no owner of a task has more running than it may, the second owner neither", async () => {
  const tasks = new Tasks({ atOnce: 3, ofOwner: 1 });
  tasks.add("a1", ["a", "project 1"]);
  tasks.add("b1", ["b", "project 1"]);
  tasks.add("b2", ["b", "project 2"]);
  tasks.add("b3", ["b", "project 3"]);
  await settled();
  assert.equal(tasks.begun, ["a1", "b2"]);
  await tasks.end("b2");
  assert.equal(tasks.begun, ["a1", "b2", "b3"]);
});

test("a task that goes ahead begins before all that wait, and their number does not refuse it", async () => {
  const tasks = new Tasks({ atOnce: 1, waiting: 2 });
  for (const name of ["a", "b", "c", "d"]) tasks.add(name, [name]);
  tasks.add("first", ["e"], { isAhead: true });
  await settled();
  assert.equal(tasks.refused, ["d"]);
  await tasks.end("a");
  assert.equal(tasks.begun, ["a", "first"]);
});

test("an owner with as many waiting as may is refused, and another owner is not", async () => {
  const tasks = new Tasks({ atOnce: 1, waitingOfOwner: 1 });
  for (const name of ["a1", "a2", "a3"]) tasks.add(name, ["a"]);
  tasks.add("b1", ["b"]);
  await settled();
  assert.equal(tasks.refused, ["a3"]);
  assert.is(tasks.underWay, 3);
});

test("a task whose caller left never begins, and makes room", async () => {
  const tasks = new Tasks({ atOnce: 1, waitingOfOwner: 1 });
  const leaves = new AbortController();
  tasks.add("a1", ["a"]);
  tasks.add("a2", ["a"], { signal: leaves.signal });
  leaves.abort();
  tasks.add("a3", ["a"]);
  await settled();
  await tasks.end("a1");
  assert.equal([tasks.begun, tasks.refused], [["a1", "a3"], ["a2"]]);
});

test("a task that fails gives its place away", async () => {
  const queue = new FairQueue({ atOnce: 1 });
  await queue
    .run({ owners: ["a"] }, () => Promise.reject(new Error("failed")))
    .then(assert.unreachable, (error: Error) => assert.is(error.message, "failed"));
  assert.is(await queue.run({ owners: ["a"] }, () => Promise.resolve(1)), 1);
});

test.run();
