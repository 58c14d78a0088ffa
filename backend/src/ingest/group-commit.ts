import { ServiceError, type IngestQueue, type Intake, type Log } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";

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

/**
 * The queue of one machine: while one batch is written and synced, the intakes that arrive become the next. So
 * the batch grows with the load, a lone event waits for nothing, and every event is on disk when `accept` resolves.
 */
export class GroupCommit implements IngestQueue {
  readonly #storeBatch: (intake: Intake) => Promise<void>;
  readonly #log: Log;
  readonly #waiting: Waiting[] = [];
  #bytes = 0;
  #running: Promise<void> | undefined;
  #failing = false;
  #loggedAt = Number.NEGATIVE_INFINITY;
  #lastStoredAt = Number.NEGATIVE_INFINITY;

  constructor(storeBatch: (intake: Intake) => Promise<void>, log: Log) {
    this.#storeBatch = storeBatch;
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
      if (batch.length > 1 && !isStorageFailure(error)) {
        for (const one of batch) await this.#store([one]); // one event is at fault: it must not take the others along
        return;
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
