import { emptyIntake, ServiceError, type IngestQueue, type Intake, type Log } from "@faultline/plugin";
import { ErrorReason, type ErrorEvent } from "@faultline/proto";

/** One transaction holds at most this much: longer ones lengthen the wait of every event in them. */
const batchItems = 500;
const batchBytes = 8 * 1024 * 1024;

/** What waits may hold this much memory; beyond it it is refused, so that an error storm cannot end us. */
const waitingBytes = 64 * 1024 * 1024;

/** About what a session or a feedback takes in memory. */
const smallItemBytes = 1024;

interface Waiting {
  readonly intake: Intake;
  readonly items: number;
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Keeps an event that cannot be stored, with the reason; false when there are too many. */
export type KeepUnstored = (event: ErrorEvent, reason: unknown) => Promise<boolean>;

/**
 * The queue of one machine: while one batch is written and synced, the intakes that arrive become the next. So
 * the batch grows with the load, a lone event waits for nothing, and every event is on disk when `accept` resolves.
 */
export class GroupCommit implements IngestQueue {
  readonly #storeBatch: (intake: Intake) => Promise<void>;
  readonly #keep: KeepUnstored;
  readonly #log: Log;
  readonly #waiting: Waiting[] = [];
  #bytes = 0;
  #running: Promise<void> | undefined;
  #failing = false;
  #loggedAt = Number.NEGATIVE_INFINITY;
  #lastStoredAt = Number.NEGATIVE_INFINITY;

  constructor(storeBatch: (intake: Intake) => Promise<void>, keep: KeepUnstored, log: Log) {
    this.#storeBatch = storeBatch;
    this.#keep = keep;
    this.#log = log;
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
        new ServiceError(ErrorReason.OVERLOADED, "More events arrive than can be stored. Send this one again later."),
      );
    }
    this.#bytes += bytes;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ intake, items, bytes, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** When a batch was last stored, by `performance.now()`; long ago before the first. */
  get lastStoredAt(): number {
    return this.#lastStoredAt;
  }

  /** Resolves when nothing waits any more. */
  async drained(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) await this.#store(this.#takeBatch());
    this.#running = undefined;
  }

  #takeBatch(): Waiting[] {
    let [items, bytes, taken] = [0, 0, 0];
    for (const one of this.#waiting) {
      if (taken > 0 && (items + one.items > batchItems || bytes + one.bytes > batchBytes)) break;
      items += one.items;
      bytes += one.bytes;
      taken++;
    }
    this.#bytes -= bytes;
    return this.#waiting.splice(0, taken);
  }

  async #store(batch: readonly Waiting[]): Promise<void> {
    try {
      await this.#storeBatch(together(batch));
      this.#failing = false;
      this.#lastStoredAt = performance.now();
      for (const { resolve } of batch) resolve();
    } catch (error) {
      if (!isStorageFailure(error)) {
        // One event is at fault: it must not take the others along, and is kept as it came.
        if (batch.length > 1) {
          for (const one of batch) await this.#store([one]);
          return;
        }
        if (await this.#storeApart(batch, error)) return;
      }
      this.#failing = isStorageFailure(error); // one bad event says nothing about the next
      this.#logFailure(error, batch.length);
      const refusal = new ServiceError(
        ErrorReason.STORAGE_UNAVAILABLE,
        "The event could not be stored. Send it again later.",
        { cause: error },
      );
      for (const { reject } of batch) reject(refusal);
    }
  }

  /** Stores what one request brought event by event and keeps those that fail; false when something else is at fault. */
  async #storeApart([one]: readonly Waiting[], reason: unknown): Promise<boolean> {
    if (!one || one.intake.events.length === 0) return false;
    const { events, ...rest } = one.intake;
    try {
      const isAlone = events.length === one.items;
      for (const event of events) await this.#storeOrKeep(event, events.length === 1 && isAlone ? reason : undefined);
      if (!isAlone) await this.#storeBatch({ ...rest, events: [] });
    } catch {
      return false; // said below with the first reason
    }
    this.#failing = false;
    one.resolve();
    return true;
  }

  /** `reason` is known when the event was tried alone already. */
  async #storeOrKeep(event: ErrorEvent, reason?: unknown): Promise<void> {
    let fault = reason;
    if (fault === undefined) {
      try {
        await this.#storeBatch({ ...emptyIntake, events: [event] });
        return;
      } catch (error) {
        if (isStorageFailure(error)) throw error;
        fault = error;
      }
    }
    this.#logFailure(fault, 1);
    if (!(await this.#keep(event, fault))) throw fault;
  }

  /** At most a line a second: while a disk is full, every request fails. */
  #logFailure(error: unknown, requests: number): void {
    const now = performance.now();
    if (now - this.#loggedAt < 1_000) return;
    this.#loggedAt = now;
    this.#log.error({ err: error, requests }, "events could not be stored");
  }
}

function together(batch: readonly Waiting[]): Intake {
  return {
    events: batch.flatMap(({ intake }) => intake.events),
    sessions: batch.flatMap(({ intake }) => intake.sessions),
    aggregates: batch.flatMap(({ intake }) => intake.aggregates),
    feedback: batch.flatMap(({ intake }) => intake.feedback),
  };
}

/** Whether the database as a whole refuses, so that trying each event alone would only repeat the refusal. */
function isStorageFailure(error: unknown): boolean {
  return /SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CORRUPT|CANTOPEN|NOMEM|NOTADB|MISUSE)/.test(String(error));
}
