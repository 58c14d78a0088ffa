import { emptyIntake, ServiceError, type IngestQueue, type Intake, type Log } from "@faultline/plugin";
import { OncePer } from "@faultline/plugin/flow";
import { ErrorReason, type ErrorEvent } from "@faultline/proto";

/** The most items in a transaction: a longer transaction lengthens the wait of every event in it. */
const batchItems = 500;
const batchBytes = 8 * 1024 * 1024;

/**
 * An intake of more items is large: it is stored alone, and waiting small intakes are stored between two large intakes.
 */
const smallIntakeItems = batchItems / 2;

/**
 * The memory that waiting intakes may hold. Further intakes are refused, so that an error storm cannot end the process.
 */
const waitingBytes = 64 * 1024 * 1024;

/** Approximate bytes of a session or a feedback in memory, and of any item's rows on disk. */
const smallItemBytes = 1024;

/** Intakes that waited this long behind a refused batch are refused with it: SDKs wait for seconds. */
const waitMs = 2_000;

/** How often a longer batch asks whether the database still answers. */
const askMs = 250;

interface Waiting {
  readonly intake: Intake;
  /** Its arrival, by `performance.now()`. */
  readonly since: number;
  readonly items: number;
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Keeps an event that cannot be stored, with the reason; false if there are too many. */
export type KeepUnstored = (event: ErrorEvent, reason: unknown) => Promise<boolean>;

/** The room on the disk that the queue may fill; see DiskSpace. */
export interface Room {
  take(bytes: number): boolean;
  settle(bytes: number): void;
}

/**
 * The queue of one machine: intakes that arrive during the write and sync of a batch become the next batch. So batches
 * grow with the load, a lone event does not wait, and every event is on disk when `accept` resolves. Handing over the
 * next batch earlier, from 16 events on, made batches smaller and the rate no higher (docs/performance.md).
 *
 * Large intakes and batches of small intakes alternate, so that an event waits for one large intake at most: 3,000
 * counted sessions in ten simultaneous requests hold the writer for 250 ms in all.
 */
export class GroupCommit implements IngestQueue {
  readonly #storeBatch: (intake: Intake) => Promise<void>;
  readonly #isStorageFailure: (error: unknown) => boolean;
  readonly #keep: KeepUnstored;
  readonly #room: Room;
  readonly #log: Log;
  readonly #isSilent: () => boolean;
  readonly #small: Waiting[] = [];
  readonly #large: Waiting[] = [];
  #lastWasLarge = false;
  #bytes = 0;
  #running: Promise<void> | undefined;
  /** Batches that a silent database may still store. Nobody waits for them any more. */
  readonly #givenUp = new Set<Promise<void>>();
  #failing = false;
  /** Logs a line a second at most: every request fails while a disk is full. */
  readonly #logged = new OncePer(1_000);
  #lastStoredAt = Number.NEGATIVE_INFINITY;
  #lastRefusedAt = Number.NEGATIVE_INFINITY;

  /**
   * `isStorageFailure`: whether the database as a whole refused, rather than one event. `isSilent`: whether it answers
   * nothing at all; by default it always answers.
   */
  constructor(parts: {
    storeBatch: (intake: Intake) => Promise<void>;
    isStorageFailure: (error: unknown) => boolean;
    keep: KeepUnstored;
    room: Room;
    log: Log;
    isSilent?: () => boolean;
  }) {
    this.#storeBatch = parts.storeBatch;
    this.#isStorageFailure = parts.isStorageFailure;
    this.#keep = parts.keep;
    this.#room = parts.room;
    this.#log = parts.log;
    this.#isSilent = parts.isSilent ?? (() => false);
  }

  /** Whether the last batch could not be stored. */
  get isFailing(): boolean {
    return this.#failing;
  }

  accept(intake: Intake): Promise<void> {
    const { events, sessions, aggregates, feedback } = intake;
    const smallItems = sessions.length + aggregates.length + feedback.length;
    const bytes = events.reduce((sum, event) => sum + event.payload.length, smallItems * smallItemBytes);
    const items = events.length + smallItems;
    if (this.#bytes + bytes > waitingBytes) {
      return Promise.reject(
        new ServiceError(ErrorReason.OVERLOADED, "More events arrive than can be stored. Send this event again later."),
      );
    }
    if (!this.#room.take(onDisk(bytes, items))) {
      return Promise.reject(
        new ServiceError(
          ErrorReason.STORAGE_UNAVAILABLE,
          "The disk of the service is nearly full. Free some space, or send this event again later.",
        ),
      );
    }
    if (this.#givenUp.size > 0 && this.#isSilent()) {
      this.#room.settle(onDisk(bytes, items));
      return Promise.reject(notStored(new Error("The database is not responding.")));
    }
    this.#bytes += bytes;
    return new Promise((resolve, reject) => {
      const waiting = items > smallIntakeItems ? this.#large : this.#small;
      waiting.push({ intake, since: performance.now(), items, bytes, resolve, reject });
      if (!this.#running) this.#begin();
    });
  }

  /** The intakes that wait for the next batch. */
  get waiting(): { readonly items: number; readonly bytes: number } {
    return { items: [...this.#small, ...this.#large].reduce((sum, { items }) => sum + items, 0), bytes: this.#bytes };
  }

  /** When a batch was last stored, by `performance.now()`; -Infinity before the first batch. */
  get lastStoredAt(): number {
    return this.#lastStoredAt;
  }

  /** When a batch was last refused, by `performance.now()`; -Infinity before the first refusal. */
  get lastRefusedAt(): number {
    return this.#lastRefusedAt;
  }

  /** Resolves when nothing waits any more. */
  async drained(): Promise<void> {
    while (this.#running || this.#givenUp.size > 0) await Promise.all([this.#running, ...this.#givenUp]);
  }

  #begin(): void {
    const { batch, bytes, items } = this.#takeBatch();
    const running = this.#store(batch).then((answer) => {
      clearTimeout(timer);
      this.#room.settle(onDisk(bytes, items));
      this.#givenUp.delete(running);
      if (this.#running === running) this.#running = undefined;
      // Before the callers get their replies, so that the database does not wait for the replies.
      if (!this.#running && this.#small.length + this.#large.length > 0) this.#begin();
      answer();
    });
    this.#running = running;
    // After all arrived data was read, so that a stalled event loop is not mistaken for a silent database.
    const look = () => setImmediate(() => this.#giveUpIfSilent(running, batch) || (timer = setTimeout(look, askMs)));
    let timer = setTimeout(look, waitMs);
  }

  /**
   * Refuses a batch that a silent database does not finish, and everything that waits behind it: SDKs wait for seconds.
   * If the database still stores it, its events count once, even if they are sent again. Returns whether the batch
   * needs no further look.
   */
  #giveUpIfSilent(running: Promise<void>, batch: readonly Waiting[]): boolean {
    if (this.#running !== running) return true;
    if (!this.#isSilent()) return false;
    this.#running = undefined;
    this.#givenUp.add(running);
    const refused = [...batch, ...this.#takeWaiting(performance.now())];
    this.#failing = true;
    this.#lastRefusedAt = performance.now();
    const error = new Error("The database is not responding.");
    this.#logFailure(error, refused.length);
    for (const { reject } of refused) reject(notStored(error));
    return true;
  }

  #takeBatch(): { batch: Waiting[]; bytes: number; items: number } {
    this.#lastWasLarge = this.#large.length > 0 && !(this.#lastWasLarge && this.#small.length > 0);
    const waiting = this.#lastWasLarge ? this.#large : this.#small;
    let [items, bytes, taken] = [0, 0, 0];
    for (const one of waiting) {
      if (taken > 0 && (this.#lastWasLarge || items + one.items > batchItems || bytes + one.bytes > batchBytes)) break;
      items += one.items;
      bytes += one.bytes;
      taken++;
    }
    this.#bytes -= bytes;
    return { batch: waiting.splice(0, taken), bytes, items };
  }

  /** Stores a batch and returns a function that notifies the waiting callers. */
  async #store(batch: readonly Waiting[]): Promise<() => void> {
    try {
      await this.#storeBatch(together(batch));
      this.#failing = false;
      this.#lastStoredAt = performance.now();
      return () => {
        for (const { resolve } of batch) resolve();
      };
    } catch (error) {
      if (!this.#isStorageFailure(error)) {
        // One event is at fault: it must not fail the others, and is kept unchanged.
        if (batch.length > 1) {
          for (const one of batch) (await this.#store([one]))();
          return () => {};
        }
        const [one] = batch;
        if (one && (await this.#storeApart(one, error))) return one.resolve;
      }
      this.#failing = this.#isStorageFailure(error); // one bad event says nothing about the next
      if (this.#failing) this.#lastRefusedAt = performance.now();
      const refused = this.#failing ? [...batch, ...this.#takeWaiting(performance.now() - waitMs)] : batch;
      this.#logFailure(error, refused.length);
      const refusal = notStored(error);
      return () => {
        for (const { reject } of refused) reject(refusal);
      };
    }
  }

  /** Takes the intakes that have waited since a time, by `performance.now()`. */
  #takeWaiting(latest: number): Waiting[] {
    const taken = [this.#small, this.#large].flatMap((waiting) => {
      const count = waiting.findIndex(({ since }) => since > latest);
      return waiting.splice(0, count === -1 ? waiting.length : count);
    });
    const bytes = taken.reduce((sum, one) => sum + one.bytes, 0);
    this.#bytes -= bytes;
    this.#room.settle(
      onDisk(
        bytes,
        taken.reduce((sum, { items }) => sum + items, 0),
      ),
    );
    return taken;
  }

  /** Stores a request's events one by one and keeps the events that fail; false if something else is at fault. */
  async #storeApart({ intake, items }: Waiting, reason: unknown): Promise<boolean> {
    const { events, ...rest } = intake;
    if (events.length === 0) return false;
    try {
      const isAlone = events.length === items;
      for (const event of events) await this.#storeOrKeep(event, events.length === 1 && isAlone ? reason : undefined);
      if (!isAlone) await this.#storeBatch({ ...rest, events: [] });
    } catch {
      return false; // reported below with the first reason
    }
    this.#failing = false;
    return true;
  }

  /** `reason` is known if the event was already tried alone. */
  async #storeOrKeep(event: ErrorEvent, reason?: unknown): Promise<void> {
    let fault = reason;
    if (fault === undefined) {
      try {
        await this.#storeBatch({ ...emptyIntake, events: [event] });
        return;
      } catch (error) {
        if (this.#isStorageFailure(error)) throw error;
        fault = error;
      }
    }
    this.#logFailure(fault, 1);
    if (!(await this.#keep(event, fault))) throw fault;
  }

  #logFailure(error: unknown, requests: number): void {
    if (this.#logged.take()) this.#log.error({ err: error, requests }, "events could not be stored");
  }
}

function notStored(cause: unknown): ServiceError {
  const why = "The event could not be stored. Send it again later.";
  return new ServiceError(ErrorReason.STORAGE_UNAVAILABLE, why, { cause });
}

function onDisk(bytes: number, items: number): number {
  return bytes + items * smallItemBytes;
}

function together(batch: readonly Waiting[]): Intake {
  return {
    events: batch.flatMap(({ intake }) => intake.events),
    sessions: batch.flatMap(({ intake }) => intake.sessions),
    aggregates: batch.flatMap(({ intake }) => intake.aggregates),
    feedback: batch.flatMap(({ intake }) => intake.feedback),
  };
}
