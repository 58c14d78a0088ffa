import { setTimeout as delay } from "node:timers/promises";
import { type Intake, type Log, emptyIntake } from "@faultline/plugin";
import { backoff, jittered, OncePer } from "@faultline/plugin/flow";
import type { Servers } from "./connection.ts";
import type { DeadLetterStream } from "./dead-letters.ts";
import { readMessage, UnreadableMessage, itemCount } from "./message.ts";
import { Puller, type Delivery } from "./puller.ts";
import { ackWaitMs, makeConsumer } from "./streams.ts";

/** The storing side. */
export interface Work {
  /** Stores the whole intake in one transaction; items that are already stored change nothing. */
  storeBatch(intake: Intake): Promise<void>;
  /** Whether the database as a whole refuses, rather than the intake being at fault. */
  isStorageFailure(error: unknown): boolean;
}

/** After this many deliveries a message is given up. */
const deliveriesAtMost = 20;

/** A message that a worker cannot settle now goes to another worker after this time. */
const giveBackMs = 30_000;

const retries = { firstMs: 100, longestMs: 5_000 };
const ackMs = 5_000;

/** How long a stop waits for the servers to confirm; unconfirmed messages are delivered again. */
const confirmMs = 2_000;

/**
 * Pulls messages, stores several of them together, and acknowledges them after the commit; while one batch is stored,
 * the messages pulled become the next. While the database refuses, the worker keeps its messages, reports progress to
 * the queue and retries; so a message that is delivered again and again is one that ends its workers.
 */
export class Worker {
  readonly #servers: Servers;
  readonly #deadLetters: DeadLetterStream;
  readonly #work: Work;
  readonly #log: Log;
  /** Pulled and not settled, by id. */
  readonly #held = new Map<string, Held>();
  readonly #waiting: Held[] = [];
  /** Ids of stored messages without a confirmed acknowledgement. */
  readonly #stored = new Set<string>();
  readonly #acks = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #puller: Puller;
  #wake: () => void = () => undefined;
  #ended: Promise<void> = Promise.resolve();
  #isMending = false;
  #isFailing = false;
  readonly #logged = new OncePer(1_000);

  constructor(parts: { servers: Servers; deadLetters: DeadLetterStream; work: Work; log: Log }) {
    this.#servers = parts.servers;
    this.#deadLetters = parts.deadLetters;
    this.#work = parts.work;
    this.#log = parts.log;
    this.#puller = new Puller({
      servers: parts.servers,
      take: (delivery) => this.#take(delivery),
      hasRoom: () => hasRoom(this.#waiting),
      onFault: (text) => this.#onFault(text),
    });
  }

  /** Whether the last batch could not be stored. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  start(): void {
    const speaking = setInterval(() => {
      for (const { delivery } of this.#held.values()) delivery.reportWorking();
    }, ackWaitMs / 3);
    this.#ended = this.#storeAll().finally(() => clearInterval(speaking));
    this.#puller.start();
  }

  /** Finishes the running batch and gives back the messages pulled beyond it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const pulled = this.#puller.stop();
    this.#wake();
    await this.#ended;
    await atMost(confirmMs, pulled);
    for (const { delivery } of this.#held.values()) delivery.giveBack();
    await atMost(confirmMs, Promise.all([...this.#acks, this.#servers.connection.flush()]));
  }

  #take(delivery: Delivery): void {
    const { id } = delivery;
    const held = this.#held.get(id);
    if (held) {
      held.delivery = delivery; // we were too slow for the queue; the message is settled once all the same
    } else if (this.#stored.has(id)) {
      this.#acknowledge(delivery);
    } else {
      const one = { delivery, items: itemsOf(delivery) };
      this.#held.set(id, one);
      this.#waiting.push(one);
      this.#wake();
    }
  }

  /** No leader, no quorum or no connection now; or the consumer was deleted. */
  #onFault(text: string): void {
    this.#logFailure(new Error(text), "no events can be pulled from the queue");
    if (this.#isMending || !this.#servers.isConnected()) return;
    this.#isMending = true;
    makeConsumer(this.#servers, this.#log)
      .catch((error: unknown) => this.#logFailure(error, "the queue cannot be used"))
      .finally(() => (this.#isMending = false));
  }

  async #storeAll(): Promise<void> {
    while (!this.#isStopping) {
      if (this.#waiting.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
      const batch = nextBatch(this.#waiting);
      this.#puller.ask();
      if (batch.length > 0 && !this.#isStopping) await this.#settle(batch);
    }
  }

  /** Stores a batch and acknowledges it; an item that cannot be stored becomes a dead letter. */
  async #settle(batch: readonly Held[]): Promise<void> {
    const unsettled = new Set<Held>();
    try {
      const read: { held: Held; intake: Intake }[] = [];
      for (const held of batch) {
        const intake = await this.#read(held, unsettled);
        if (intake) read.push({ held, intake });
      }
      if (read.length > 0) await this.#store(read, unsettled);
    } catch (error) {
      if (!this.#isStopping) throw error;
      return; // given back by `stop`
    }
    for (const held of batch) {
      const { id } = held.delivery;
      this.#held.delete(id);
      if (unsettled.has(held)) held.delivery.giveBack(giveBackMs);
      else {
        this.#stored.add(id);
        this.#acknowledge(held.delivery);
      }
    }
  }

  /** The intake in a message; undefined when it must not be stored. */
  async #read(held: Held, unsettled: Set<Held>): Promise<Intake | undefined> {
    const { delivery } = held;
    try {
      const intake = withReceipts(readMessage(delivery.data), delivery);
      if (delivery.deliveries <= deliveriesAtMost) return intake;
      const reason = `It was delivered ${deliveriesAtMost} times, but each worker stopped before storing it.`;
      for (const item of itemsIn(held, intake)) await this.#giveUp(item, reason, unsettled);
    } catch (error) {
      if (!(error instanceof UnreadableMessage)) throw error;
      this.#logFailure(error, "a message of the queue cannot be read");
      // A worker of the later release will read it.
      if (error.isNewer && delivery.deliveries <= deliveriesAtMost) unsettled.add(held);
      else {
        const failure = { reason: error.message, key: keyOf(delivery, 0) };
        await this.#keep(held, unsettled, () => this.#deadLetters.keepUnread(delivery.data, failure));
      }
    }
    return undefined;
  }

  async #store(read: readonly { held: Held; intake: Intake }[], unsettled: Set<Held>): Promise<void> {
    const fault = await this.#tryToStore(together(read.map(({ intake }) => intake)));
    if (fault === undefined) return;
    const items = read.flatMap(({ held, intake }) => itemsIn(held, intake));
    await this.#storeApart(items, fault, unsettled);
  }

  /** Halves a failed batch until the item at fault is found: 18 transactions for one of 500. */
  async #storeApart(items: readonly Item[], fault: unknown, unsettled: Set<Held>): Promise<void> {
    const [item] = items;
    if (item && items.length === 1) return this.#giveUp(item, inWords(fault), unsettled);
    const middle = items.length >> 1;
    for (const half of [items.slice(0, middle), items.slice(middle)]) {
      const found = await this.#tryToStore(together(half.map(({ intake }) => intake)));
      if (found !== undefined) await this.#storeApart(half, found, unsettled);
    }
  }

  /** Waits while the database refuses. Returns the fault of the batch, undefined when it is stored. */
  async #tryToStore(intake: Intake): Promise<unknown> {
    for (let failures = 1; ; failures++) {
      try {
        await this.#work.storeBatch(intake);
        this.#isFailing = false;
        return undefined;
      } catch (error) {
        if (!this.#work.isStorageFailure(error)) return error ?? new Error("storing failed");
        this.#isFailing = true;
        this.#logFailure(error, "events could not be stored; they wait in the queue");
        await delay(jittered(backoff(failures, retries)), undefined, { signal: this.#stopping.signal });
      }
    }
  }

  async #giveUp({ held, n, intake }: Item, reason: string, unsettled: Set<Held>): Promise<void> {
    this.#logFailure(new Error(reason), "an event cannot be stored and became a dead letter");
    const key = keyOf(held.delivery, n);
    await this.#keep(held, unsettled, () => this.#deadLetters.keep(intake, { reason, key }));
  }

  async #keep(held: Held, unsettled: Set<Held>, keep: () => Promise<void>): Promise<void> {
    try {
      await keep();
    } catch (error) {
      unsettled.add(held);
      this.#logFailure(error, "a dead letter could not be kept; its message is tried again");
    }
  }

  /**
   * Until the acknowledgement is confirmed, a repeated delivery is not stored again: that would take as long, for
   * nothing.
   */
  #acknowledge(delivery: Delivery): void {
    const { id } = delivery;
    const ack = delivery.acknowledge(ackMs).then(
      () => void this.#stored.delete(id),
      () => undefined, // it is delivered again and then acknowledged
    );
    this.#acks.add(ack);
    void ack.finally(() => this.#acks.delete(ack));
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** At most one line per second. */
  #logFailure(error: unknown, message: string): void {
    if (this.#logged.take()) this.#log.error({ err: error }, message);
  }
}

/** Bounds a wait, because no answer comes without a connection. */
async function atMost(milliseconds: number, awaited: Promise<unknown>): Promise<void> {
  await Promise.race([awaited, delay(milliseconds, undefined, { ref: false })]);
}

/** The driver's sentence: it names our tables and constraints, never values of the event. */
function inWords(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}

/** The most items of one transaction, as on one machine; a larger message is stored by itself. */
const batchItems = 500;
const batchBytes = 8 * 1024 * 1024;

/**
 * A message that was delivered this often without being stored may end workers, so it is no longer
 * batched with others.
 */
const deliveriesTogether = 3;

/** A message that was pulled and is not settled. */
interface Held {
  /** The latest delivery. */
  delivery: Delivery;
  readonly items: number;
}

/** An item of a message, as an intake by itself. */
interface Item {
  readonly held: Held;
  readonly n: number;
  readonly intake: Intake;
}

/** Takes the next batch; a message that was delivered often gets a separate batch. */
function nextBatch(waiting: Held[]): Held[] {
  let [items, bytes, taken] = [0, 0, 0];
  for (const { delivery, items: more } of waiting) {
    const isSuspect = delivery.deliveries > deliveriesTogether;
    const { length } = delivery.data;
    if (taken > 0 && (isSuspect || items + more > batchItems || bytes + length > batchBytes)) break;
    items += more;
    bytes += length;
    taken++;
    if (isSuspect) break;
  }
  return waiting.splice(0, taken);
}

/** Whether the waiting messages are less than a batch. */
function hasRoom(waiting: readonly Held[]): boolean {
  const items = waiting.reduce((sum, one) => sum + one.items, 0);
  const bytes = waiting.reduce((sum, { delivery }) => sum + delivery.data.length, 0);
  return items < batchItems && bytes < batchBytes;
}

/** The number of items in a message; 1 if it cannot be read. */
function itemsOf({ data }: Delivery): number {
  try {
    return itemCount(data);
  } catch {
    return 1; // reported when it is read
  }
}

function itemsIn(held: Held, { events, sessions, aggregates, feedback, receipts = [] }: Intake): Item[] {
  return [
    ...events.map((one) => ({ ...emptyIntake, events: [one] })),
    ...sessions.map((one) => ({ ...emptyIntake, sessions: [one] })),
    ...aggregates.map((one, n) => ({ ...emptyIntake, aggregates: [one], receipts: receipts.slice(n, n + 1) })),
    ...feedback.map((one) => ({ ...emptyIntake, feedback: [one] })),
  ].map((intake, n) => ({ held, n, intake }));
}

/** Counted sessions have no id: their position in the message identifies them as stored. */
function withReceipts(intake: Intake, { publication }: Delivery): Intake {
  return { ...intake, receipts: intake.aggregates.map((_, n) => `${publication}-${n}`) };
}

/** Merges intakes. */
function together(intakes: readonly Intake[]): Intake {
  return {
    events: intakes.flatMap(({ events }) => events),
    sessions: intakes.flatMap(({ sessions }) => sessions),
    aggregates: intakes.flatMap(({ aggregates }) => aggregates),
    feedback: intakes.flatMap(({ feedback }) => feedback),
    receipts: intakes.flatMap(({ receipts = [] }) => receipts),
  };
}

/** The key of a message's item as a dead letter. */
function keyOf({ id }: Delivery, n: number): string {
  return `${id}-${n}`;
}
