// limit: 180 s
import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { StartRefusal, timestamp } from "@faultline/plugin";
import { SessionAggregateSchema, SessionUpdateSchema, UserFeedbackSchema } from "@faultline/proto";
import { headers, nanos } from "@nats-io/transport-node";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { jetstreamQueue } from "../../plugins/jetstream-queue/src/index.ts";
import { exception } from "../support/sentry/error-event.ts";
import { natsMissing, startNats } from "../support/nats/nats.ts";
import { EventStore, intake, numbered, outcome, waitingMessages, withQueue } from "../support/nats/nats-queue.ts";
import { until } from "../support/run/until.ts";

const onServers = natsMissing === undefined ? test : test.skip;
if (natsMissing !== undefined) console.log(`Skipped: ${natsMissing}`);

const mebibyte = 1024 * 1024;
const silent = { info() {}, warn() {}, error() {} };

onServers("what is accepted is stored once, in batches, and leaves the queue", () =>
  withQueue({}, async ({ queue, operator }) => {
    const store = new EventStore();
    queue.startWorker(store);
    const count = 3_000;
    await Promise.all(Array.from({ length: count }, (_, n) => queue.queue.accept(intake(numbered(n)))));
    await until("all events to be stored", () => store.ids.size === count);
    assert.is(store.batches.flat().length, count, "an event was stored twice");
    assert.ok(store.batches.length < count / 10, `${store.batches.length} batches`);
    assert.ok(store.batches.every(({ length }) => length <= 500));
    await until("the queue to be empty", async () => (await waitingMessages(operator)) === 0);
  }),
);

onServers("events that come together are stored together, of every kind and size up to the largest", () =>
  withQueue({}, async ({ queue }) => {
    const store = new EventStore();
    // Bytes that no compression makes smaller; the head of an event comes on top.
    const largest = numbered(1, { payload: randomBytes(mebibyte), message: "m".repeat(8_192) });
    const many = Array.from({ length: 12 }, (_, n) => numbered(n + 10, { payload: randomBytes(mebibyte) }));
    await queue.queue.accept(intake(largest, numbered(2)));
    await queue.queue.accept(intake(...many)); // more than a message holds
    queue.startWorker(store);
    await until("all events to be stored", () => store.ids.size === 14);
    assert.is(store.batches.flat().length, 14);
    assert.ok(store.batches.some((batch) => batch.includes("event 1") && batch.includes("event 2")));
  }),
);

onServers("a full stream refuses as overload, keeps what it has, and takes more when some of it is stored", () =>
  withQueue({ maxBytes: 2 * mebibyte }, async ({ queue, operator }) => {
    const outcomes: string[] = [];
    for (let n = 0; n < 10; n++) {
      outcomes.push(await outcome(queue.queue.accept(intake(numbered(n, { payload: randomBytes(mebibyte / 2) })))));
    }
    assert.equal(new Set(outcomes), new Set(["accepted", "OVERLOADED"]));
    const accepted = outcomes.filter((one) => one === "accepted").length;
    assert.is(outcomes.lastIndexOf("accepted"), accepted - 1, outcomes.join());
    assert.is(await waitingMessages(operator), accepted);
    assert.not(queue.isAccepting);

    const store = new EventStore();
    queue.startWorker(store);
    await until("what was accepted to be stored", () => store.ids.size === accepted);
    await until("the queue to be empty", async () => (await waitingMessages(operator)) === 0);
    assert.is(await outcome(queue.queue.accept(intake(numbered(100)))), "accepted");
    assert.ok(queue.isAccepting);
  }),
);

onServers("more than 64 MiB without an acknowledgement is refused as overload", () =>
  withQueue({}, async ({ nats: { nodes }, queue }) => {
    const large = () => numbered(1, { payload: new Uint8Array(16 * mebibyte) });
    nodes[0]?.hang();
    try {
      const waiting = Array.from({ length: 3 }, () => outcome(queue.queue.accept(intake(large()))));
      assert.is(await outcome(queue.queue.accept(intake(large()))), "OVERLOADED");
      assert.is((await Promise.all(waiting)).includes("accepted"), false);
    } finally {
      nodes[0]?.go();
    }
  }),
);

onServers("an answer that comes late is asked for again under the same id, so that the event is there once", () =>
  withQueue({}, async ({ nats: { nodes }, queue, operator }) => {
    nodes[0]?.hang();
    const accepted = outcome(queue.queue.accept(intake(numbered(1))));
    await new Promise((resolve) => setTimeout(resolve, 3_000)); // longer than an answer is waited for
    nodes[0]?.go();
    assert.is(await accepted, "accepted");
    assert.is(await waitingMessages(operator), 1);
  }),
);

onServers("without a server nothing is accepted, and after ten seconds the sender gets a refusal", () =>
  withQueue({}, async ({ nats: { nodes }, queue, lines }) => {
    await nodes[0]?.kill9();
    const from = performance.now();
    assert.is(await outcome(queue.queue.accept(intake(numbered(1)))), "STORAGE_UNAVAILABLE");
    const seconds = (performance.now() - from) / 1_000;
    assert.ok(seconds > 9 && seconds < 13, `after ${seconds} s`);
    assert.not(queue.isAccepting);
    assert.ok(lines.some((line) => line.startsWith("events could not be accepted")));
    await nodes[0]?.start();
    assert.is(await outcome(queue.queue.accept(intake(numbered(2)))), "accepted");
  }),
);

onServers("while the database refuses, events wait, and none becomes a dead letter", () =>
  withQueue({}, async ({ queue }) => {
    const store = new EventStore();
    let refusals = 0;
    store.fault = () => {
      refusals++;
      return new Error("SQLITE_FULL: database or disk is full");
    };
    queue.startWorker(store);
    for (let n = 0; n < 5; n++) await queue.queue.accept(intake(numbered(n)));
    await until("some tries", () => refusals > 3);
    assert.not(queue.isStoring);
    assert.is(store.ids.size, 0);
    store.fault = () => undefined;
    await until("all events to be stored", () => store.ids.size === 5);
    assert.ok(queue.isStoring);
    assert.equal(await queue.deadLetters.list(), []);
  }),
);

onServers("a poisonous event becomes a dead letter and takes no other along; it can be replayed and deleted", () =>
  withQueue({}, async ({ queue, operator }) => {
    const store = new EventStore();
    const isPoison = ({ title }: { title: string }) => title.startsWith("poison");
    store.fault = (events) => (events.some(isPoison) ? new Error("value out of range: \u2028 \r\n 1e999") : undefined);
    const poison = [100, 200, 300].map((n) => numbered(n, { title: `poison ${n}`, projectId: n === 300 ? 2 : 1 }));
    await Promise.all([
      ...Array.from({ length: 400 }, (_, n) => queue.queue.accept(intake(numbered(n + 1_000)))),
      ...poison.map((event) => queue.queue.accept(intake(event, numbered(Number.parseInt(event.eventId, 16) + 1)))),
    ]);
    queue.startWorker(store);
    await until("the others to be stored", () => store.ids.size === 403);
    await until("the queue to be empty", async () => (await waitingMessages(operator)) === 0);

    const dead = await queue.deadLetters.list();
    assert.equal(
      dead.map(({ projectId, eventId }) => [projectId, Number.parseInt(eventId, 16)]).toSorted(),
      [
        [1, 100],
        [1, 200],
        [2, 300],
      ].toSorted(),
    );
    assert.equal(
      dead.map(({ id }) => id),
      dead.map(({ id }) => id).toSorted((a, b) => b - a),
      "the newest first",
    );
    assert.ok(dead.every(({ reason }) => reason === "value out of range: \u2028 \r\n 1e999"));
    assert.ok(dead.every(({ deadAt }) => Math.abs(deadAt - Date.now()) < 60_000));
    assert.is((await queue.deadLetters.list({ projectId: 2 })).length, 1);

    // The event is still poison and comes back once.
    const [{ id: oldId = 0 } = {}] = await queue.deadLetters.list({ projectId: 2 });
    assert.equal(await queue.deadLetters.replay({ projectId: 1, ids: [oldId] }), { accepted: 0, failed: 0, left: 0 });
    assert.equal(await queue.deadLetters.replay({ ids: [oldId] }), { accepted: 1, failed: 0, left: 0 });
    await until("it to come back", async () => {
      const [again] = await queue.deadLetters.list({ projectId: 2 });
      return again !== undefined && again.id > oldId;
    });
    assert.is((await queue.deadLetters.list()).length, 3);

    store.fault = () => undefined;
    assert.equal(await queue.deadLetters.replay({ projectId: 1 }), { accepted: 2, failed: 0, left: 0 });
    await until("both to be stored", () => store.ids.size === 405);
    assert.is((await queue.deadLetters.list({ projectId: 1 })).length, 0);
    assert.is(await queue.deadLetters.delete(), 1);
    assert.equal(await queue.deadLetters.list(), []);
    assert.is(store.batches.flat().length, 405, "an event was stored twice");
  }),
);

onServers("what is no message of ours is set aside with its reason, and what follows is stored", () =>
  withQueue({}, async ({ queue, connection }) => {
    await connection.request("faultline.intake", "hello, stream", { timeout: 5_000 });
    await queue.queue.accept(intake(numbered(1)));
    const store = new EventStore();
    queue.startWorker(store);
    await until("the event to be stored", () => store.ids.size === 1);
    const dead = await until("the dead letter", async () => {
      const all = await queue.deadLetters.list();
      return all.length > 0 && all;
    });
    assert.equal(
      dead.map(({ projectId, kind, eventId, reason }) => ({ projectId, kind, eventId, reason })),
      [{ projectId: 0, kind: "unreadable", eventId: "", reason: "This is not a message of Faultline." }],
    );

    // It stays unreadable, and takes no other along.
    assert.equal(await queue.deadLetters.replay(), { accepted: 0, failed: 1, left: 0 });
    assert.is(await queue.deadLetters.count({ projectId: 0 }), 1);
    assert.is(await queue.deadLetters.delete({ projectId: 0, ids: dead.map(({ id }) => id) }), 1);
    assert.is(await queue.deadLetters.count(), 0);
  }),
);

onServers("a dead letter names what it was: event, session or feedback", () =>
  withQueue({}, async ({ queue }) => {
    queue.startWorker({
      storeBatch: () => Promise.reject(new Error("nothing is stored")),
      isStorageFailure: () => false,
    });
    const receivedTime = timestamp(Date.UTC(2026, 10, 1));
    const eventId = "e".repeat(32);
    const session = create(SessionUpdateSchema, { projectId: 1, sessionId: eventId, release: "shop@1", receivedTime });
    const aggregate = create(SessionAggregateSchema, { projectId: 1, release: "shop@2", exited: 3 });
    const feedback = create(UserFeedbackSchema, { projectId: 1, eventId, comments: "It broke.", receivedTime });
    await queue.queue.accept({
      events: [numbered(1, { title: "", exceptions: [exception({ type: "TypeError", value: "x" })], receivedTime })],
      sessions: [session],
      aggregates: [aggregate],
      feedback: [feedback],
    });
    const dead = await until("four dead letters", async () => {
      const all = await queue.deadLetters.list({ projectId: 1 });
      return all.length === 4 && all;
    });
    assert.equal(dead.map(({ kind, title, receivedAt }) => [kind, title, receivedAt]).toSorted(), [
      ["event", "TypeError: x", Date.UTC(2026, 10, 1)],
      ["feedback", "It broke.", Date.UTC(2026, 10, 1)],
      ["session", "shop@1", Date.UTC(2026, 10, 1)],
      ["session", "shop@2", undefined],
    ]);
    await until("the count", () => queue.deadLetters.kept === 4, { deadlineMs: 10_000 });
    assert.is(queue.deadLetters.made, 4);
  }),
);

onServers("of many dead letters the newest of a project are listed, and a replay takes the oldest 1,000", () =>
  withQueue({}, async ({ queue, connection }) => {
    const publish = (projectId: number, reason = "This is not a message of Faultline.") => {
      const fields = headers();
      const description = { projectId, kind: "event", reason };
      fields.set("Faultline-Dead-Letter", encodeURIComponent(JSON.stringify(description)));
      return connection.request(`faultline.dead-letters.${projectId}`, "x", { timeout: 20_000, headers: fields });
    };
    for (let n = 0; n < 3; n++) await publish(7);
    for (let round = 0; round < 11; round++) await Promise.all(Array.from({ length: 100 }, () => publish(1)));
    const newest = await queue.deadLetters.list({ projectId: 1 });
    assert.equal(
      newest.map(({ id }) => id),
      Array.from({ length: 100 }, (_, n) => 1_103 - n),
    );
    assert.equal(
      (await queue.deadLetters.list({ projectId: 7 })).map(({ id }) => id),
      [3, 2, 1],
    );
    assert.equal(await queue.deadLetters.list({ projectId: 2 }), []);
    assert.is(await queue.deadLetters.count({ projectId: 1 }), 1_100);
    assert.is(await queue.deadLetters.count(), 1_103);
    assert.equal(await queue.deadLetters.replay({ projectId: 1 }), { accepted: 0, failed: 1_000, left: 100 });
    assert.is(await queue.deadLetters.delete({ projectId: 1 }), 1_100);
    assert.is(await queue.deadLetters.count(), 3);

    // Its reason is replaced where it is another one now.
    await publish(9, "A release before could not read it.");
    assert.equal(await queue.deadLetters.replay({ projectId: 9 }), { accepted: 0, failed: 1, left: 0 });
    assert.equal(
      (await queue.deadLetters.list({ projectId: 9 })).map(({ reason }) => reason),
      ["This is not a message of Faultline."],
    );
  }),
);

onServers("a project's dead letters go with the project", () =>
  withQueue({}, async ({ queue }) => {
    const store = new EventStore();
    store.fault = () => new Error("no");
    queue.startWorker(store);
    await queue.queue.accept(intake(numbered(1, { projectId: 1 }), numbered(2, { projectId: 2 })));
    await until("two dead letters", async () => (await queue.deadLetters.list()).length === 2);
    assert.ok(await queue.deadLetters.deleteProject(1));
    assert.equal(
      (await queue.deadLetters.list()).map(({ projectId }) => projectId),
      [2],
    );
  }),
);

onServers("the lag rises while nothing is stored, and falls to none", () =>
  withQueue({}, async ({ queue }) => {
    await queue.queue.accept(intake(numbered(1)));
    await queue.queue.accept(intake(numbered(2)));
    const behind = await until("a lag of more than 2 s", () => {
      const lag = queue.lag();
      return lag && lag.lagMs > 2_000 && lag;
    });
    assert.is(behind.pending, 2);
    assert.ok(behind.storedAt <= behind.acceptedAt);
    assert.ok(Math.abs(behind.acceptedAt - Date.now()) < 60_000);
    queue.startWorker(new EventStore());
    const even = await until("no lag", () => {
      const lag = queue.lag();
      return lag?.pending === 0 && lag;
    });
    assert.is(even.lagMs, 0);
    assert.is(even.storedAt, even.acceptedAt);
  }),
);

onServers("what an operator changed stays, and what could lose events is refused at the start", () =>
  withQueue({}, async ({ nats, queue, operator }) => {
    await queue.stop();
    const refused = async () => {
      const again = jetstreamQueue({ url: nats.url });
      try {
        await again.start({ log: silent, clock: Date });
        return "started";
      } catch (error) {
        assert.instance(error, StartRefusal);
        return (error as Error).message;
      } finally {
        await again.stop();
      }
    };
    await operator.streams.update("FAULTLINE_INTAKE", { max_bytes: 77 * mebibyte, description: "ours" });
    await operator.consumers.update("FAULTLINE_INTAKE", "store", { ack_wait: nanos(45_000) });
    assert.is(await refused(), "started");
    const { config } = await operator.streams.info("FAULTLINE_INTAKE");
    assert.equal([config.max_bytes, config.description], [77 * mebibyte, "ours"]);
    assert.is((await operator.consumers.info("FAULTLINE_INTAKE", "store")).config.ack_wait, nanos(45_000));

    await operator.streams.update("FAULTLINE_INTAKE", { discard: "old" });
    assert.match(await refused(), "discard is old and must be new");
    await operator.streams.update("FAULTLINE_INTAKE", { discard: "new", max_age: nanos(3_600_000) });
    assert.match(await refused(), "max_age is 3600 s and must be unlimited");
  }),
);

onServers("a server whose messages are too small is refused with what to set", async () => {
  const nats = await startNats({ maxPayload: "1MB" });
  try {
    const queue = jetstreamQueue({ url: nats.url });
    const error = await queue.start({ log: silent, clock: Date }).catch((reason: unknown) => reason);
    assert.instance(error, StartRefusal);
    assert.match((error as Error).message, 'Set "max_payload: 8MB"');
  } finally {
    await nats.stop();
  }
});

onServers("several processes share the work", () =>
  withQueue({}, async ({ queue, another }) => {
    const stores = [new EventStore(), new EventStore()];
    const second = await another();
    queue.startWorker(stores[0] ?? new EventStore());
    second.startWorker(stores[1] ?? new EventStore());
    const count = 2_000;
    const send = async (from: number) => {
      for (let n = from; n < count; n += 20) await (n % 2 ? queue : second).queue.accept(intake(numbered(n)));
    };
    await Promise.all(Array.from({ length: 20 }, (_, n) => send(n)));
    await until("all events to be stored", () => stores.reduce((sum, { ids }) => sum + ids.size, 0) === count);
    assert.is(new Set(stores.flatMap(({ ids }) => [...ids])).size, count);
    assert.ok(
      stores.every(({ ids }) => ids.size > 0),
      "one did everything",
    );
  }),
);

test.run();
