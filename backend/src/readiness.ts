import type { DiskSpace } from "./storage/database/disk-space.ts";
import type { GroupCommit } from "./host/ingest/group-commit.ts";

/** An answer is good for this long; longer waits for the database mean that it is not ready. */
const freshMs = 1_000;

/** Tells whether an event would be stored now: by the disk's free space and the last batch, or else a small write. */
export class Readiness {
  readonly #disk: DiskSpace;
  readonly #queue: GroupCommit;
  readonly #canWrite: () => Promise<boolean>;
  #last: { at: number; answer: Promise<boolean> } | undefined;

  constructor(parts: { disk: DiskSpace; queue: GroupCommit; canWrite: () => Promise<boolean> }) {
    this.#disk = parts.disk;
    this.#queue = parts.queue;
    this.#canWrite = parts.canWrite;
  }

  isReady(): Promise<boolean> {
    if (this.#disk.isLow) return Promise.resolve(false);
    const now = performance.now();
    if (!this.#queue.isFailing && now - this.#queue.lastStoredAt < freshMs) return Promise.resolve(true);
    if (!this.#last || now - this.#last.at >= freshMs) this.#last = { at: now, answer: this.#probe() };
    return this.#last.answer;
  }

  #probe(): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), freshMs);
    return Promise.race([this.#canWrite(), late]).finally(() => clearTimeout(timer));
  }
}
