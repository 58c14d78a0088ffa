import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { ServiceError, type IngestQueue, type Intake, type Log } from "@faultline/plugin";
import { OncePer } from "@faultline/plugin/flow";
import { ErrorReason } from "@faultline/proto";
import { JetStreamApiError } from "@nats-io/jetstream";
import { type Servers, intakeStream, intakeSubject } from "./connection.ts";
import { messageOf, packIntake, type Packed } from "./message.ts";

/** A batch waits this long for more items. */
const gatherMs = 3;

/** Concurrent batches. Beyond that, batches grow, so that a slow disk gets fewer and larger batches. */
const underWay = 16;

/** Memory for messages that wait for their acknowledgement; more is refused. */
const waitingBytes = 64 * 1024 * 1024;

/** The largest message, which leaves room for the message's headers; a larger intake is split over several. */
const messageBytes = 8 * 1024 * 1024 - 64 * 1024;

/**
 * A publication without an answer is repeated: a lost leader does not answer, and a new one is elected within some
 * seconds.
 */
const answerMs = 2_000;
const repeatAfterMs = 100;

/**
 * After this time the sender is refused. The message may be in the stream all the same; the sender may send it again,
 * and it is stored once.
 */
const acknowledgedMs = 10_000;

/**
 * JetStream's error codes (nats-server 2.15, server/errors.json). The first has its cause in its text only
 * (server/store.go).
 */
const storeFailed = 10077;
const isFull = /^maximum (bytes|messages) exceeded$/;
const serverStorageFull = 10047;

/**
 * Accepts by publishing: the arrivals of some milliseconds are one message, accepted when the stream acknowledges it.
 */
export class Accept implements IngestQueue {
  readonly #log: Log;
  readonly #batches = new Batches();
  #servers: Servers | undefined;
  #bytes = 0;
  #underWay = 0;
  #isGathering = false;
  #idle: (() => void)[] = [];
  #isFailing = false;
  readonly #logged = new OncePer(1_000);

  constructor(log: Log) {
    this.#log = log;
  }

  /** Accepts from now on; with undefined it stops accepting. */
  use(servers: Servers | undefined): void {
    this.#servers = servers;
  }

  /** Whether the last batch was not acknowledged, or the next one could not be. */
  get isFailing(): boolean {
    return this.#isFailing || !this.#servers?.isConnected();
  }

  async accept(intake: Intake): Promise<void> {
    if (!this.#servers) throw refusal("The queue is not connected. Send this event again later.");
    const packed = packIntake(intake, messageBytes);
    const bytes = packed.reduce((sum, one) => sum + one.bytes.length, 0);
    if (this.#bytes + bytes > waitingBytes) {
      throw new ServiceError(
        ErrorReason.OVERLOADED,
        "More events arrive than the queue accepts. Send this event again later.",
      );
    }
    this.#bytes += bytes;
    try {
      const accepted = packed.map((one) => this.#batches.add(one));
      this.#pump();
      await Promise.all(accepted);
    } finally {
      this.#bytes -= bytes;
    }
  }

  /** Resolves when nothing waits any longer. */
  async drained(): Promise<void> {
    while (this.#underWay > 0 || !this.#batches.isEmpty) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #pump(): void {
    while (this.#underWay < underWay && this.#batches.hasFull) this.#send(this.#batches.next());
    if (this.#isGathering || this.#batches.isEmpty || this.#underWay >= underWay) return;
    this.#isGathering = true;
    setTimeout(() => {
      this.#isGathering = false;
      if (this.#underWay < underWay) this.#send(this.#batches.next());
    }, gatherMs);
  }

  #send(batch: Batch | undefined): void {
    if (!batch) return;
    this.#underWay++;
    this.#publish(messageOf(batch.packed)).then(
      () => {
        this.#isFailing = false;
        this.#settled(batch.resolve);
      },
      (error: unknown) => {
        this.#isFailing = true;
        this.#logFailure(error, batch.items);
        this.#settled(() => batch.reject(error));
      },
    );
  }

  #settled(answer: () => void): void {
    this.#underWay--;
    answer();
    this.#pump();
    if (this.#underWay === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Resolves when the stream acknowledges. A repetition has the same id, so that the message is in the stream once. */
  async #publish(message: Uint8Array): Promise<void> {
    const id = randomUUID();
    const end = performance.now() + acknowledgedMs;
    let last: unknown;
    for (let left = acknowledgedMs; left > 0; left = end - performance.now()) {
      const servers = this.#servers;
      if (!servers) break; // stopped
      // While it is disconnected, the client would keep each repetition in memory.
      if (servers.isConnected()) {
        try {
          const timeout = Math.max(Math.min(answerMs, left), 1);
          await servers.client.publish(intakeSubject, message, {
            msgID: id,
            timeout,
            expect: { streamName: intakeStream },
          });
          return;
        } catch (error) {
          const final = finalRefusal(error);
          if (final) throw final;
          last = error;
        }
      }
      await delay(repeatAfterMs);
    }
    throw refusal("The queue did not acknowledge the event. Send it again later.", last);
  }

  /** At most a line a second: while no server answers, every batch fails. */
  #logFailure(error: unknown, items: number): void {
    if (this.#logged.take()) this.#log.error({ err: error, items }, "events could not be accepted");
  }
}

/** A refusal by the stream that a repetition would meet again; undefined when repeating may help. */
function finalRefusal(error: unknown): ServiceError | undefined {
  if (!(error instanceof JetStreamApiError)) return undefined;
  if (error.code === storeFailed && isFull.test(error.message)) {
    return new ServiceError(
      ErrorReason.OVERLOADED,
      "More events are waiting than the queue can hold. Send this event again later.",
      { cause: error },
    );
  }
  const isRefused = error.status < 500 && error.status !== 409 && error.status !== 429;
  if (isRefused || error.code === serverStorageFull) {
    return refusal("The queue cannot take the event. Send it again later.", error);
  }
  return undefined; // no leader, no quorum, or the same message is being stored
}

function refusal(sentence: string, cause?: unknown): ServiceError {
  return new ServiceError(ErrorReason.STORAGE_UNAVAILABLE, sentence, { cause });
}

/** A batch is closed at this size. Larger ones copy no faster, and each item waits for the whole batch. */
const batchBytes = 512 * 1024;
const batchItems = 500;

/** Intakes that share one message. */
interface Batch {
  readonly packed: Packed[];
  bytes: number;
  items: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  readonly settled: Promise<void>;
}

/** Fills batches in the order of arrival. A batch exceeds its bound only when a single packed intake does. */
export class Batches {
  readonly #full: Batch[] = [];
  #open: Batch | undefined;

  /** Settles with the batch that takes it. */
  add(packed: Packed): Promise<void> {
    const { bytes, items } = packed;
    let batch = this.#open;
    if (batch && (batch.bytes + bytes.length > batchBytes || batch.items + items > batchItems)) {
      this.#full.push(batch);
      batch = undefined;
    }
    batch ??= { packed: [], bytes: 0, items: 0, ...settling() };
    batch.packed.push(packed);
    batch.bytes += bytes.length;
    batch.items += items;
    this.#open = batch;
    return batch.settled;
  }

  /** Whether there is a batch that waits for no more items. */
  get hasFull(): boolean {
    return this.#full.length > 0;
  }

  /** Whether no batch waits. */
  get isEmpty(): boolean {
    return !this.#open && this.#full.length === 0;
  }

  /** The oldest batch, full or not. */
  next(): Batch | undefined {
    const full = this.#full.shift();
    if (full) return full;
    const open = this.#open;
    this.#open = undefined;
    return open;
  }
}

function settling(): Pick<Batch, "resolve" | "reject" | "settled"> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { settled: promise, resolve, reject };
}
