// limit: 300 s
// alone: kills servers of a cluster under load, and a busy machine elects no leader in time
import { test } from "uvu";
import * as assert from "uvu/assert";
import { natsMissing } from "../support/nats/nats.ts";
import { EventStore, intake, numbered, outcome, waitingMessages, withQueue } from "../support/nats/nats-queue.ts";
import { until } from "../support/run/until.ts";

const onServers = natsMissing === undefined ? test : test.skip;
if (natsMissing !== undefined) console.log(`Skipped: ${natsMissing}`);

onServers(
  "three servers, each killed in turn under load, the leader first: nothing accepted is lost, and the lag goes",
  () =>
    withQueue({ servers: 3 }, async ({ nats, queue, another, operator }) => {
      const { config } = await operator.streams.info("FAULTLINE_INTAKE");
      assert.is(config.num_replicas, 3);
      const store = new EventStore();
      (await another()).startWorker(store);
      const accepted = new Set<string>();
      const refused: string[] = [];
      let sent = 0;
      const load = new AbortController();
      const send = async () => {
        while (!load.signal.aborted) {
          const event = numbered(sent++);
          const end = await outcome(queue.queue.accept(intake(event)));
          if (end === "accepted") accepted.add(`1/${event.eventId}`);
          else refused.push(end);
        }
      };
      const senders = Array.from({ length: 10 }, send);
      const leader = async () =>
        (await operator.streams.info("FAULTLINE_INTAKE").catch(() => undefined))?.cluster?.leader;
      const first = await until("a leader", leader);
      const others = nats.nodes.map(({ name }) => name).filter((name) => name !== first);
      for (const name of [first, ...others]) {
        const node = nats.nodes.find((one) => one.name === name);
        const before = accepted.size;
        await node?.kill9();
        await until("two servers to accept", () => accepted.size > before + 100, { deadlineMs: 60_000 });
        await node?.start();
        await until(
          "the stream to have three current replicas",
          async () => {
            const info = await operator.streams.info("FAULTLINE_INTAKE").catch(() => undefined);
            return info?.cluster?.leader !== undefined && info.cluster.replicas?.every(({ current }) => current);
          },
          { deadlineMs: 60_000 },
        );
      }
      load.abort();
      await Promise.all(senders);
      await until("the queue to be empty", async () => (await waitingMessages(operator).catch(() => 1)) === 0, {
        deadlineMs: 90_000,
      });
      await until("no lag", () => queue.lag()?.pending === 0);
      const lost = [...accepted].filter((id) => !store.ids.has(id));
      assert.equal(lost, []);
      assert.ok(accepted.size > 300);
      // A refused event may be stored or not, and is sent again. Nothing else is refused.
      assert.ok(
        refused.every((reason) => reason === "STORAGE_UNAVAILABLE" || reason === "OVERLOADED"),
        refused.join(),
      );
    }),
);

onServers("without a quorum nothing is accepted; with it again what was accepted before is stored", () =>
  withQueue({ servers: 3 }, async ({ nats: { nodes }, queue }) => {
    await queue.queue.accept(intake(numbered(1)));
    await Promise.all(nodes.slice(1).map((node) => node.kill9()));
    assert.is(await outcome(queue.queue.accept(intake(numbered(2)))), "STORAGE_UNAVAILABLE");
    await Promise.all(nodes.slice(1).map((node) => node.start()));
    const store = new EventStore();
    queue.startWorker(store);
    await until("the event to be stored", () => store.ids.has(`1/${numbered(1).eventId}`), { deadlineMs: 60_000 });
    const again = async () => (await outcome(queue.queue.accept(intake(numbered(3))))) === "accepted";
    await until("events to be accepted again", again, { deadlineMs: 60_000 });
  }),
);

test.run();
