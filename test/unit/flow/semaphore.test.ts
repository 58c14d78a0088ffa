import { Semaphore } from "@faultline/plugin/flow";
import { test } from "uvu";
import * as assert from "uvu/assert";

/** A task that ends when `end` is called. */
function task() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let hasBegun = false;
  const run = () => {
    hasBegun = true;
    return promise;
  };
  return { run, end: resolve, hasBegun: () => hasBegun };
}

const settled = () => new Promise(setImmediate);
const full = { waitingAtMost: 1, refusal: () => new Error("full") };
const left = () => new Error("left");
const reasonOf = (run: Promise<unknown>) =>
  run.then(
    () => "done",
    (error: Error) => error.message,
  );

test("tasks beyond those that may run at once begin in the order in which they came", async () => {
  const semaphore = new Semaphore(2);
  const tasks = [task(), task(), task(), task()];
  const runs = tasks.map(({ run }) => semaphore.run(run));
  const begun = () => tasks.map(({ hasBegun }) => hasBegun());
  await settled();
  assert.equal(begun(), [true, true, false, false]);
  tasks[1]?.end();
  await settled();
  assert.equal(begun(), [true, true, true, false]);
  for (const { end } of tasks) end();
  await Promise.all(runs);
});

test("a task that fails makes room, and its caller gets the failure", async () => {
  const semaphore = new Semaphore(1);
  const failing = semaphore.run(() => Promise.reject(new Error("broken")));
  const after = semaphore.run(() => Promise.resolve("ran"));
  assert.is(await reasonOf(failing), "broken");
  assert.is(await after, "ran");
});

test("a task is refused where as many wait as may", async () => {
  const semaphore = new Semaphore(1, full);
  const [running, waiting] = [task(), task()];
  const runs = [semaphore.run(running.run), semaphore.run(waiting.run)];
  assert.is(await reasonOf(semaphore.run(() => Promise.resolve())), "full");
  running.end();
  waiting.end();
  await Promise.all(runs);
  assert.is(await reasonOf(semaphore.run(() => Promise.resolve())), "done");
});

test("a caller whose signal is aborted leaves the queue, and its task never begins", async () => {
  const semaphore = new Semaphore(1);
  const [running, leaving, last] = [task(), task(), task()];
  const leave = new AbortController();
  const run = semaphore.run(running.run);
  const given = reasonOf(semaphore.run(leaving.run, { signal: leave.signal, refusal: left }));
  const after = semaphore.run(last.run);
  leave.abort();
  assert.is(await given, "left");
  assert.is(await reasonOf(semaphore.run(leaving.run, { signal: leave.signal, refusal: left })), "left");
  running.end();
  last.end();
  await Promise.all([run, after]);
  assert.is(leaving.hasBegun(), false);
});

test("a caller whose signal is aborted runs all the same where there is room", async () => {
  const gone = { signal: AbortSignal.abort(), refusal: left };
  assert.is(await reasonOf(new Semaphore(1).run(() => Promise.resolve(), gone)), "done");
});

test.run();
