import { CompiledQuery } from "kysely";
import { SqliteConnection } from "./connection.ts";
import { failedSync } from "./error.ts";

/**
 * Frames (of 4 KiB) in the write-ahead log at which it is copied into the file. With SQLite's own 1,000, pages that
 * every batch writes were copied twice as often.
 */
const framesAtCheckpoint = 2_000;

/**
 * Transactions between two checks of the log: a check is a trip to the thread pool, 90 us; a batch writes 20 to 200
 * frames.
 */
const transactionsBetweenLooks = 4;

/** Runs `work` while nobody writes. */
export type WhileNobodyWrites = (work: () => Promise<void>) => Promise<void>;

/**
 * Copies the write-ahead log into the file when it is long, while the writer waits: 20 to 40 ms. Copying most of it
 * beside the writer first made nothing quicker, and with 10,000,000 events stored cost a quarter of the rate, as pages
 * were copied more often and both synced at once. SQLite's own checkpoints report a failed sync to nobody.
 *
 * The length of the log is read on a connection of its own, which costs the writer no trip. Never open its index
 * (`-shm`) for that: closing the file would drop all locks that SQLite holds on it in this process (POSIX fcntl).
 */
export class Checkpoints {
  readonly #connection: SqliteConnection;
  readonly #whileNobodyWrites: WhileNobodyWrites;
  #transactions = 0;
  #running: Promise<void> | undefined;
  /**
   * The frame up to which the last attempt was to copy; it may not get there while somebody reads, as a backup does.
   */
  #tried = 0;
  #isClosed = false;

  private constructor(connection: SqliteConnection, whileNobodyWrites: WhileNobodyWrites) {
    this.#connection = connection;
    this.#whileNobodyWrites = whileNobodyWrites;
  }

  /**
   * Begins by copying the log, before anything is written behind it. A log may end with data that a failed sync did not
   * bring to disk: it can be read, and counts as stored, but a power failure would take it and all that follows in the
   * log.
   */
  static async open(file: string, whileNobodyWrites: WhileNobodyWrites): Promise<Checkpoints> {
    const checkpoints = new Checkpoints(await SqliteConnection.open(file, "write"), whileNobodyWrites);
    await checkpoints.#copy().catch((error: Error) => {
      if (failedSync(error)) throw error; // after any other failure, such as a full disk, reading still works
    });
    return checkpoints;
  }

  /** Call it after each transaction of the writer. */
  written(): void {
    this.#transactions += 1;
    if (this.#transactions < transactionsBetweenLooks || this.#running || this.#isClosed) return;
    this.#transactions = 0;
    // A failed sync ends the process by itself, and on a full disk the writer meets the error too.
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

  /** Frames to be copied that were not tried yet. */
  async #look(): Promise<number> {
    const { frames, copied } = await this.#state();
    if (frames < this.#tried) this.#tried = 0; // the log started again
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
