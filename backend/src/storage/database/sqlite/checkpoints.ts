import { CompiledQuery } from "kysely";
import { SqliteConnection } from "./connection.ts";
import { failedSync } from "./error.ts";

/**
 * Frames (of 4 KiB) that the write-ahead log holds when it is copied into the file. With SQLite's own 1,000 the pages that
 * every batch writes were copied twice as often.
 */
const framesAtCheckpoint = 2_000;

/** Transactions between two looks at the log: a look is a trip to the thread pool, 90 us; a batch writes 20 to 200 frames. */
const transactionsBetweenLooks = 4;

/** Lets nobody write while `work` is done. */
export type WhileNobodyWrites = (work: () => Promise<void>) => Promise<void>;

/**
 * Copies the write-ahead log into the file when it is long, while the writer waits: 20 to 40 ms. Copying most of it beside
 * the writer first made nothing quicker, and with 10,000,000 events stored took a quarter of the rate, as pages were
 * copied more often and both synced at once. SQLite's own checkpoints would tell nobody that a sync failed.
 *
 * The log is asked for its length on a connection of its own, which costs the writer no trip. Never open its index
 * (`-shm`) for that: closing the file would drop all locks that SQLite holds on it in this process (POSIX fcntl).
 */
export class Checkpoints {
  readonly #connection: SqliteConnection;
  readonly #whileNobodyWrites: WhileNobodyWrites;
  #transactions = 0;
  #running: Promise<void> | undefined;
  /** Up to here the last one was to copy; as long as somebody reads, as a backup does, it may not. */
  #tried = 0;
  #isClosed = false;

  private constructor(connection: SqliteConnection, whileNobodyWrites: WhileNobodyWrites) {
    this.#connection = connection;
    this.#whileNobodyWrites = whileNobodyWrites;
  }

  /**
   * Begins by copying what the log holds, before anything is written behind it. A log may end with what a sync failed to
   * bring to disk: it can be read, and counts as stored, but a power failure would take it and with it all that follows in
   * the log.
   */
  static async open(file: string, whileNobodyWrites: WhileNobodyWrites): Promise<Checkpoints> {
    const checkpoints = new Checkpoints(await SqliteConnection.open(file, "write"), whileNobodyWrites);
    await checkpoints.#copy().catch((error: Error) => {
      if (failedSync(error)) throw error; // for the rest, as on a full disk, reading is still possible
    });
    return checkpoints;
  }

  /** To be called after each transaction of the writer. */
  written(): void {
    this.#transactions += 1;
    if (this.#transactions < transactionsBetweenLooks || this.#running || this.#isClosed) return;
    this.#transactions = 0;
    // A failed sync ends the process by itself, and on a full disk all else meets the error too.
    this.#running = this.#whenLong()
      .catch(() => undefined)
      .finally(() => (this.#running = undefined));
  }

  async #whenLong(): Promise<void> {
    if ((await this.#look()) < framesAtCheckpoint) return;
    await this.#whileNobodyWrites(async () => {
      await this.#copy();
      this.#tried = (await this.#state()).frames;
    });
  }

  /** Frames that are to be copied and were not tried yet. */
  async #look(): Promise<number> {
    const { frames, copied } = await this.#state();
    if (frames < this.#tried) this.#tried = 0; // the log began anew
    return frames - Math.max(copied, this.#tried);
  }

  #copy(): Promise<unknown> {
    return this.#connection.executeQuery(CompiledQuery.raw("pragma wal_checkpoint(passive)")); // as far as no reader needs it
  }

  async #state(): Promise<{ frames: number; copied: number }> {
    const { rows } = await this.#connection.executeQuery<{ log: number; checkpointed: number }>(
      CompiledQuery.raw("pragma wal_checkpoint(noop)"),
    );
    return { frames: rows[0]?.log ?? 0, copied: rows[0]?.checkpointed ?? 0 };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
    await this.#connection.close();
  }
}
