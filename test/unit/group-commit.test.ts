import { emptyIntake, ServiceError, type Intake, type Log } from "@faultline/plugin";
import { mock } from "node:test";
import { reasonName } from "@faultline/proto/grpc";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { GroupCommit, type KeepUnstored } from "../../backend/src/host/ingest/group-commit.ts";
import { isStorageFailure } from "../../backend/src/storage/database/storage-failure.ts";
import { errorEvent } from "../support/sentry/error-event.ts";

const silent: Log = { info() {}, warn() {}, error() {} };

/** There are too many unstored events to keep another one. */
const keepNone = () => Promise.resolve(false);

/** A disk without an end. */
const room = { take: () => true, settle() {} };

const parts = { isStorageFailure, keep: keepNone, room, log: silent };

const queue = suite("group commit");

const mebibyte = 1024 * 1024;
const event = (title: string, bytes = 0) => errorEvent({ title, payload: new Uint8Array(bytes) });
const intake = (...events: Intake["events"]): Intake => ({ ...emptyIntake, events });
const titles = (count: number, prefix = "") => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

/** A store that notes its batches and is done with each when the test says so. */
class Store {
  readonly batches: string[][] = [];
  #done = Promise.withResolvers<void>();

  readonly storeBatch = async ({ events }: Intake) => {
    this.batches.push(events.map(({ title }) => title));
    await this.#done.promise;
  };

  /** Ends the batch that is being stored; from now on each batch ends by itself. */
  release(): void {
    this.#done.resolve();
  }
}

/** A store that refuses the batches `fault` has something against. */
function refusing(fault: (titles: readonly string[]) => Error | undefined, keep: KeepUnstored = keepNone) {
  const batches: string[][] = [];
  const commit = new GroupCommit({
    ...parts,
    async storeBatch({ events }) {
      const batch = events.map(({ title }) => title);
      batches.push(batch);
      const error = fault(batch);
      if (error) throw error;
    },
    keep,
  });
  return { batches, commit };
}

/** The result of each event: stored, or the reason of the refusal. */
async function outcomes(accepted: readonly Promise<void>[]): Promise<string[]> {
  return (await Promise.allSettled(accepted)).map((one) => {
    if (one.status === "fulfilled") return "stored";
    assert.instance(one.reason, ServiceError);
    return reasonName((one.reason as ServiceError).reason);
  });
}

queue("a lone event is stored at once", async () => {
  const store = new Store();
  const accepted = new GroupCommit({ ...parts, storeBatch: store.storeBatch }).accept(intake(event("a")));
  assert.equal(store.batches, [["a"]]);
  store.release();
  await accepted;
});

queue("events that come while a batch is written wait and share the next one, in order", async () => {
  const store = new Store();
  const commit = new GroupCommit({ ...parts, storeBatch: store.storeBatch });
  const accepted = ["a", "b", "c", "d"].map((title) => commit.accept(intake(event(title))));
  assert.equal(store.batches, [["a"]]);
  store.release();
  assert.equal(await outcomes(accepted), ["stored", "stored", "stored", "stored"]);
  assert.equal(store.batches, [["a"], ["b", "c", "d"]]);
});

queue("an event is not accepted before its batch is stored", async () => {
  const store = new Store();
  const commit = new GroupCommit({ ...parts, storeBatch: store.storeBatch });
  let isAccepted = false;
  const accepted = commit.accept(intake(event("a"))).then(() => (isAccepted = true));
  await new Promise((resolve) => setImmediate(resolve)); // long after everything that does not wait for the store
  assert.not(isAccepted);
  store.release();
  await accepted;
});

queue("a batch holds at most 500 events", async () => {
  const store = new Store();
  const commit = new GroupCommit({ ...parts, storeBatch: store.storeBatch });
  const accepted = titles(1102).map((title) => commit.accept(intake(event(title))));
  store.release();
  await Promise.all(accepted);
  assert.equal(
    store.batches.map(({ length }) => length),
    [1, 500, 500, 101],
  );
  assert.equal(store.batches.flat(), titles(1102));
});

queue("a batch holds at most 8 MiB", async () => {
  const store = new Store();
  const commit = new GroupCommit({ ...parts, storeBatch: store.storeBatch });
  const accepted = titles(20).map((title) => commit.accept(intake(event(title, mebibyte))));
  store.release();
  await Promise.all(accepted);
  assert.equal(
    store.batches.map(({ length }) => length),
    [1, 8, 8, 3],
  );
});

queue("events that came together stay together, however many and large they are", async () => {
  const store = new Store();
  const commit = new GroupCommit({ ...parts, storeBatch: store.storeBatch });
  const many = titles(1000, "many ");
  const accepted = [["first"], ["small"], many, ["last"]].map((group) =>
    commit.accept(intake(...group.map((title) => event(title, title === "many 0" ? 10 * mebibyte : 0)))),
  );
  store.release();
  await Promise.all(accepted);
  assert.equal(store.batches, [["first"], many, ["small", "last"]]);
});

queue("large intakes and batches of small ones take turns, whichever came first", async () => {
  const store = new Store();
  const commit = new GroupCommit({ ...parts, storeBatch: store.storeBatch });
  const [one = [], two = [], three = []] = ["one ", "two ", "three "].map((prefix) => titles(251, prefix));
  const accepted = [["first"], one, two, ["a"], three, ["b"]].map((group) =>
    commit.accept(intake(...group.map((title) => event(title)))),
  );
  assert.is(commit.waiting.items, 3 * 251 + 2);
  store.release();
  await Promise.all(accepted);
  assert.equal(store.batches, [["first"], one, ["a", "b"], two, three]);
});

queue("more than 64 MiB waiting is refused as overload, and what waits is stored all the same", async () => {
  const store = new Store();
  const commit = new GroupCommit({ ...parts, storeBatch: store.storeBatch });
  const large = event("large", 16 * mebibyte);
  const accepted = [event("running"), large, large, large, large, event("one byte", 1), event("nothing")].map((one) =>
    commit.accept(intake(one)),
  );
  store.release();
  assert.equal(await outcomes(accepted), ["stored", "stored", "stored", "stored", "stored", "OVERLOADED", "stored"]);
  assert.not(commit.isFailing);
  await commit.accept(intake(large)); // what was stored waits no longer
});

queue("what the disk has no room for is refused, and room is settled for what was stored or not", async () => {
  let free = 10 * 1024;
  const narrow = {
    take: (bytes: number) => bytes <= free && ((free -= bytes), true),
    settle: (bytes: number) => void (free += bytes),
  };
  let isFull = false;
  const storeBatch = async () => {
    if (isFull) throw new Error("SQLITE_FULL: database or disk is full");
  };
  const commit = new GroupCommit({ ...parts, room: narrow, storeBatch });
  const accepted = [event("4 kB", 4096), event("4 kB", 4096), event("1 byte too many", 1)];
  assert.equal(await outcomes(accepted.map((one) => commit.accept(intake(one)))), [
    "stored",
    "stored",
    "STORAGE_UNAVAILABLE",
  ]);
  isFull = true;
  assert.equal(await outcomes([commit.accept(intake(event("4 kB", 4096)))]), ["STORAGE_UNAVAILABLE"]);
  await commit.drained();
  assert.is(free, 10 * 1024);
});

queue("one poisonous event does not take the others of its batch along", async () => {
  const { batches, commit } = refusing((batch) =>
    batch.includes("poison") ? new Error("SQLITE_CONSTRAINT: datatype mismatch") : undefined,
  );
  const accepted = ["first", "a", "poison", "b"].map((title) => commit.accept(intake(event(title))));
  assert.equal(await outcomes(accepted), ["stored", "stored", "STORAGE_UNAVAILABLE", "stored"]);
  assert.equal(batches, [["first"], ["a", "poison", "b"], ["a"], ["poison"], ["b"]]);
  assert.not(commit.isFailing);
});

queue("a poisonous event is kept with its reason and accepted, once, also when it came with others", async () => {
  const kept: string[] = [];
  const { commit } = refusing(
    (batch) => (batch.includes("poison") ? new Error("SQLITE_CONSTRAINT: datatype mismatch") : undefined),
    async ({ title }, reason) => kept.push(`${title}: ${String(reason)}`) > 0,
  );
  const alone = commit.accept(intake(event("poison")));
  const together = commit.accept(intake(event("a"), event("poison"), event("b")));
  assert.equal(await outcomes([alone, together]), ["stored", "stored"]);
  assert.equal(
    kept,
    Array.from({ length: 2 }, () => "poison: Error: SQLITE_CONSTRAINT: datatype mismatch"),
  );
  assert.not(commit.isFailing);
});

queue(
  "what waited two seconds for a batch that the database refuses is refused with it, what came later is tried",
  async () => {
    let now = 0;
    const clock = mock.method(performance, "now", () => now);
    const refused = Promise.withResolvers<void>();
    const batches: string[][] = [];
    const commit = new GroupCommit({
      ...parts,
      async storeBatch({ events }) {
        batches.push(events.map(({ title }) => title));
        if (batches.length === 1) await refused.promise;
      },
    });
    const accepted = ["first", "long", "large"].map((title) => commit.accept(intake(event(title, 32 * mebibyte))));
    now = 1;
    accepted.push(commit.accept(intake(event("late"))));
    now = 2_000;
    refused.reject(new Error("SQLITE_BUSY: database is locked"));
    const no = "STORAGE_UNAVAILABLE";
    assert.equal(await outcomes(accepted), [no, no, no, "stored"]);
    clock.mock.restore();
    assert.equal(batches, [["first"], ["late"]]);
    await commit.accept(intake(event("as large as what was refused", 64 * mebibyte))); // which waits no longer
  },
);

for (const code of ["BUSY", "LOCKED", "FULL", "IOERR", "READONLY", "CORRUPT", "CANTOPEN"]) {
  queue(`SQLITE_${code} refuses the whole batch, without another try`, async () => {
    const failure = new Error(`SQLITE_${code}: no`);
    const { batches, commit } = refusing((batch) => (batch.includes("first") ? undefined : failure));
    const accepted = ["first", "a", "b", "c"].map((title) => commit.accept(intake(event(title))));
    const refused = "STORAGE_UNAVAILABLE";
    assert.equal(await outcomes(accepted), ["stored", refused, refused, refused]);
    assert.equal(batches, [["first"], ["a", "b", "c"]]);
    const error = await commit.accept(intake(event("d"))).catch((reason: unknown) => reason);
    assert.is((error as Error).cause, failure);
    assert.not.match((error as Error).message, "SQLITE");
  });
}

queue("is failing from a storage failure until the next success", async () => {
  let failure: Error | undefined;
  const { commit } = refusing(() => failure);
  await commit.accept(intake(event("a")));
  assert.not(commit.isFailing);

  failure = new Error("SQLITE_FULL: database or disk is full");
  assert.equal(await outcomes([commit.accept(intake(event("b")))]), ["STORAGE_UNAVAILABLE"]);
  assert.ok(commit.isFailing);
  assert.equal(await outcomes([commit.accept(intake(event("c")))]), ["STORAGE_UNAVAILABLE"]);
  assert.ok(commit.isFailing);

  failure = undefined;
  await commit.accept(intake(event("d")));
  assert.not(commit.isFailing);
});

queue("drained once nothing waits any more, at once when nothing ever did", async () => {
  const store = new Store();
  const commit = new GroupCommit({ ...parts, storeBatch: store.storeBatch });
  await commit.drained();
  const accepted = titles(3).map((title) => commit.accept(intake(event(title))));
  const drained = commit.drained();
  store.release();
  await drained;
  assert.equal(store.batches.flat(), titles(3));
  await Promise.all(accepted);
});

queue.run();
