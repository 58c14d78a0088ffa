import type { Announcements } from "@faultline/plugin";
import { ArtifactBundleState as State } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BundleChanges, type BundleRow } from "../../../plugins/source-maps/src/uploads/bundle-changes.ts";

const test = suite("changes of uploads");

const key = { project_id: 1, checksum: Buffer.alloc(20, 7), release: "shop@1.0.0", dist: "" };

/** A bundle in the database, in the form that calls read. */
function bundle() {
  const row = { ...key, state: State.CREATED as State };
  const looked = { times: 0 };
  const look = () => {
    looked.times += 1;
    return Promise.resolve({ ...row } as unknown as BundleRow); // what is read of it
  };
  return { row, look, looked };
}

/** The processes of an installation. A process does not receive its own announcements. */
function processes(count: number, waitMs?: number): BundleChanges[] {
  const handlers: ((text: string) => void)[][] = Array.from({ length: count }, () => []);
  return handlers.map((own) => {
    const changes = new BundleChanges(waitMs);
    const announcements: Announcements = {
      announce: (_, text) =>
        handlers.filter((other) => other !== own).forEach((other) => other.forEach((hear) => hear(text))),
      subscribe: (_, handler) => void own.push(handler),
      onMissed: () => undefined,
    };
    changes.hear(announcements);
    return changes;
  });
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const caller = (userId: number, signal?: AbortSignal) => ({ userId, signal });

test("calls in two processes get the bundle when it is read, and each looks at it twice", async () => {
  const [reader, other] = processes(2) as [BundleChanges, BundleChanges];
  const { row, look, looked } = bundle();
  const calls = [reader.untilRead(key, caller(1), look), other.untilRead(key, caller(2), look)];
  await settled();
  assert.is(looked.times, 2);
  row.state = State.OK;
  reader.changed(key);
  assert.equal(
    (await Promise.all(calls)).map((found) => found?.state),
    [State.OK, State.OK],
  );
  assert.is(looked.times, 4);
});

test("a change of another release of the bundle wakes no call, and one after which it still waits does not end the wait", async () => {
  const [changes] = processes(1) as [BundleChanges];
  const { row, look, looked } = bundle();
  const call = changes.untilRead(key, caller(1), look);
  await settled();
  changes.changed({ ...key, release: "shop@2.0.0" });
  await settled();
  assert.is(looked.times, 1);
  changes.changed(key);
  await settled();
  assert.is(looked.times, 2);
  row.state = State.ERROR;
  changes.changed(key);
  assert.is((await call)?.state, State.ERROR);
});

test("a change between the first look and the wait is not missed", async () => {
  const [changes] = processes(1) as [BundleChanges];
  const { row, look, looked } = bundle();
  const found = await changes.untilRead(key, caller(1), async () => {
    const seen = await look();
    if (looked.times === 1) {
      row.state = State.OK;
      changes.changed(key);
    }
    return seen;
  });
  assert.is(found?.state, State.OK);
});

test("at the end of the wait a call looks once more, because an announcement may be lost", async () => {
  const [changes] = processes(1, 1) as [BundleChanges];
  const { row, look, looked } = bundle();
  const call = changes.untilRead(key, caller(1), look);
  row.state = State.OK;
  assert.is((await call)?.state, State.OK);
  assert.is(looked.times, 2);
});

test("a caller that leaves waits no longer", async () => {
  const [changes] = processes(1) as [BundleChanges];
  const { look } = bundle();
  const leaves = new AbortController();
  const call = changes.untilRead(key, caller(1, leaves.signal), look);
  await settled();
  leaves.abort();
  assert.is((await call)?.state, State.CREATED);
});

test("the 33rd call of a person is answered immediately, and a call of another person waits", async () => {
  const [changes] = processes(1) as [BundleChanges];
  const { row, look } = bundle();
  const waiting = Array.from({ length: 32 }, () => changes.untilRead(key, caller(1), look));
  assert.is((await changes.untilRead(key, caller(1), look))?.state, State.CREATED);
  waiting.push(changes.untilRead(key, caller(2), look));
  await settled();
  row.state = State.OK;
  changes.changed(key);
  for (const found of await Promise.all(waiting)) assert.is(found?.state, State.OK);
});

test.run();
