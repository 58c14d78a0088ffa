import { suite } from "uvu";
import * as assert from "uvu/assert";
import { connectionOptions } from "../../plugins/jetstream-queue/src/connection.ts";
import { judge } from "../../plugins/jetstream-queue/src/streams.ts";
import { Batches } from "../../plugins/jetstream-queue/src/accept.ts";

const batches = suite("batches of the queue");

const kibibyte = 1024;
const packed = (bytes: number, items = 1) => ({ bytes: new Uint8Array(bytes), items });

/** Fills batches and answers how many items each has. */
function filled(...all: ReturnType<typeof packed>[]): number[] {
  const filling = new Batches();
  for (const one of all) void filling.add(one);
  const counts: number[] = [];
  for (let next = filling.next(); next; next = filling.next()) counts.push(next.items);
  assert.ok(filling.isEmpty);
  return counts;
}

for (const [what, all, expected] of [
  ["nothing is no batch", [], []],
  ["what arrives together is one batch", [packed(10), packed(10), packed(10)], [3]],
  ["a batch holds at most 512 KiB", Array.from({ length: 5 }, () => packed(256 * kibibyte)), [2, 2, 1]],
  ["a batch holds at most 500 items", Array.from({ length: 1_001 }, () => packed(1)), [500, 500, 1]],
  ["what is larger than a batch is one by itself", [packed(1), packed(4096 * kibibyte, 700), packed(1)], [1, 700, 1]],
] as const) {
  batches(what, () => assert.equal(filled(...all), expected));
}

batches("only a batch that takes no more is full", () => {
  const filling = new Batches();
  void filling.add(packed(1));
  assert.not(filling.hasFull);
  void filling.add(packed(1, 500));
  assert.ok(filling.hasFull);
  assert.is(filling.next()?.items, 1);
  assert.not(filling.hasFull);
  assert.not(filling.isEmpty);
});

batches("all that share a batch share its end", async () => {
  const filling = new Batches();
  const ends = [filling.add(packed(1)), filling.add(packed(1))].map((end) => end.catch(String));
  filling.next()?.reject("refused");
  const later = filling.add(packed(1));
  filling.next()?.resolve();
  assert.equal(await Promise.all([...ends, later]), ["refused", "refused", undefined]);
});

batches.run();

const address = suite("the address of the queue");

for (const [url, expected] of [
  ["nats://one:4222", { servers: ["one:4222"] }],
  ["nats://one, nats://two:4333", { servers: ["one:4222", "two:4333"] }],
  ["nats://ann:s%40crét@one:4222,nats://two", { servers: ["one:4222", "two:4222"], user: "ann", pass: "s@crét" }],
  ["nats://token@one", { servers: ["one:4222"], token: "token" }],
  ["tls://one", { servers: ["one:4222"], tls: {} }],
  ["nats://[::1]:4222", { servers: ["[::1]:4222"] }],
] as const) {
  address(url.replaceAll(/s%40crét|token/g, "..."), () => {
    const { servers, user, pass, token, tls } = connectionOptions(url);
    const given = Object.entries({ servers, user, pass, token, tls }).filter(([, value]) => value !== undefined);
    assert.equal(Object.fromEntries(given), expected);
  });
}

for (const url of ["", "one:4222", "http://one", "nats://", "nats://one,two"]) {
  address(`${JSON.stringify(url)} is refused`, () =>
    assert.throws(() => connectionOptions(url), /must look like nats:/),
  );
}

address.run();

const streams = suite("streams that are there already");

const wanted = {
  subjects: ["faultline.intake"],
  retention: "workqueue",
  storage: "file",
  discard: "new",
  num_replicas: 3,
  max_bytes: 1_000,
  duplicate_window: 120e9,
} as const;
const stream = (fields: object) =>
  judge({ ...wanted, max_age: 0, max_msg_size: -1, ...fields } as unknown as Parameters<typeof judge>[0], {
    ...wanted,
    subjects: [...wanted.subjects],
  });

for (const [what, fields, faults, weaknesses] of [
  ["as it is made: fine", {}, 0, 0],
  ["more bytes, five replicas: an operator's choice", { max_bytes: 9_000, num_replicas: 5, compression: "s2" }, 0, 0],
  ["discard old would delete what was acknowledged", { discard: "old" }, 1, 0],
  ["memory would lose it", { storage: "memory" }, 1, 0],
  ["limits would never delete what is stored", { retention: "limits" }, 1, 0],
  ["max_age would delete what waits", { max_age: 60e9 }, 1, 0],
  ["no_ack would acknowledge nothing", { no_ack: true }, 1, 0],
  ["another subject would get nothing", { subjects: ["other"] }, 1, 0],
  ["max_msg_size would refuse large events", { max_msg_size: 1_000_000 }, 1, 0],
  ["several faults are named together", { storage: "memory", discard: "old" }, 2, 0],
  ["one replica is weaker", { num_replicas: 1 }, 0, 1],
  ["no bound is weaker", { max_bytes: -1 }, 0, 1],
  ["a short window is weaker", { duplicate_window: 1e9 }, 0, 1],
] as const) {
  streams(what, () => {
    const judged = stream(fields);
    assert.equal([judged.faults.length, judged.weaknesses.length], [faults, weaknesses], JSON.stringify(judged));
  });
}

streams.run();
