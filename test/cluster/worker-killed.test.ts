// limit: 180 s
import { join } from "node:path";
import { jetstream } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { natsMissing } from "../support/nats/nats.ts";
import { EventStore, intake, numbered, waitingMessages, withQueue } from "../support/nats/nats-queue.ts";
import { startWorkerProcess, storedIn } from "../support/nats/nats-workers.ts";
import { tempDir } from "../support/service/temp-dir.ts";
import { until } from "../support/run/until.ts";

const onServers = natsMissing === undefined ? test : test.skip;
if (natsMissing !== undefined) console.log(`Skipped: ${natsMissing}`);

onServers("a worker killed between commit and acknowledgement: everything is stored once", () =>
  withQueue({}, async ({ nats, queue, operator }) => {
    // As an operator may: what a dead worker had comes back after two seconds, not thirty.
    await operator.consumers.update("FAULTLINE_INTAKE", "store", { ack_wait: nanos(2_000) });
    const file = join(tempDir(), "events.db");
    const count = 600;
    const accepted = Array.from({ length: count }, (_, n) => queue.queue.accept(intake(numbered(n))));
    await Promise.all(accepted);

    const doomed = await startWorkerProcess(nats.url, file, "hang");
    await until("a commit", () => doomed.commits() > 0);
    await doomed.kill9();
    const before = storedIn(file);
    assert.ok(before.ids.size > 0, "nothing was committed");

    const worker = await startWorkerProcess(nats.url, file);
    await until("the queue to be empty", async () => (await waitingMessages(operator)) === 0, { deadlineMs: 30_000 });
    const after = storedIn(file);
    await worker.kill9();
    assert.is(after.ids.size, count);
    assert.is(
      after.deliveries,
      count + before.ids.size,
      "what was committed was not delivered again: nothing is shown",
    );
  }),
);

onServers("workers killed again and again under load: everything accepted is stored", () =>
  withQueue({}, async ({ nats, queue, operator }) => {
    await operator.consumers.update("FAULTLINE_INTAKE", "store", { ack_wait: nanos(2_000) });
    const file = join(tempDir(), "events.db");
    let sent = 0;
    const load = new AbortController();
    const send = async () => {
      while (!load.signal.aborted) await queue.queue.accept(intake(numbered(sent++)));
    };
    const senders = Array.from({ length: 20 }, send);
    const steady = await startWorkerProcess(nats.url, file);
    for (let round = 0; round < 5; round++) {
      const doomed = await startWorkerProcess(nats.url, file);
      await until("some commits", () => doomed.commits() > 2);
      await doomed.kill9();
    }
    load.abort();
    await Promise.all(senders);
    await until("the queue to be empty", async () => (await waitingMessages(operator)) === 0, { deadlineMs: 60_000 });
    await steady.kill9();
    assert.is(storedIn(file).ids.size, sent);
  }),
);

onServers("a worker that stops gives back at once what it had not stored", () =>
  withQueue({}, async ({ queue, another }) => {
    const stuck = new EventStore();
    stuck.fault = () => new Error("SQLITE_FULL: database or disk is full");
    const first = await another();
    first.startWorker(stuck);
    for (let n = 0; n < 20; n++) await queue.queue.accept(intake(numbered(n)));
    await until("the worker to have pulled them", () => !first.isStoring);
    const from = performance.now();
    await first.stop();
    const store = new EventStore();
    queue.startWorker(store);
    await until("all to be stored", () => store.ids.size === 20);
    assert.ok(performance.now() - from < 5_000, "they came back by ack_wait only");
  }),
);

onServers("a message that ends its workers is given up after twenty deliveries", () =>
  withQueue({}, async ({ queue, operator, connection }) => {
    await queue.queue.accept(intake(numbered(1)));
    // The effect of twenty workers that end: the message is pulled and comes back.
    const consumer = await jetstream(connection).consumers.get("FAULTLINE_INTAKE", "store");
    for (let n = 0; n < 20; n++) {
      (await consumer.next({ expires: 10_000 }))?.nak();
      await connection.flush();
    }
    await queue.queue.accept(intake(numbered(2)));
    const store = new EventStore();
    queue.startWorker(store);
    await until("the queue to be empty", async () => (await waitingMessages(operator)) === 0);
    const dead = await queue.deadLetters.list();
    assert.is(dead.length, 1);
    assert.match(dead[0]?.reason ?? "", "It was delivered 20 times");
    assert.is(store.ids.size, 1);
    await queue.deadLetters.replay();
    await until("it to be stored after all", () => store.ids.size === 2);
  }),
);

test.run();
