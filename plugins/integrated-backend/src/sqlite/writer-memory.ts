import { setImmediate } from "node:timers/promises";

/** Gives out the row ids of events; this process is the only writer of the file. */
export class EventRowIds {
  #last: number;

  constructor(last: number) {
    this.#last = last;
  }

  next(): number {
    return ++this.#last;
  }

  /** The newest that was given out. */
  get last(): number {
    return this.#last;
  }
}

/** Rows remembered; each takes about 150 bytes. */
const knownRowsKept = 50_000;

/**
 * Users and tags whose row already has the present day, so that it need not be written again: most events of an error
 * repeat them. Retention removes only rows of days long past, so what is known stays true; what removes others does it in
 * `forgetAround`.
 */
export class KnownRows {
  readonly #keys = new Set<string>();
  #doubts = 0;

  has(key: string): boolean {
    return this.#doubts === 0 && this.#keys.has(key);
  }

  add(keys: Iterable<string>): void {
    if (this.#doubts > 0) return;
    if (this.#keys.size >= knownRowsKept) this.#keys.clear();
    for (const key of keys) this.#keys.add(key);
  }

  clear(): void {
    this.#keys.clear();
  }

  /**
   * A batch that was put together before, and leaves out what it knew, is in the writer's queue in front of this work after
   * one turn of the event loop; those that are put together meanwhile come behind it and leave nothing out.
   */
  async forgetAround<T>(work: () => Promise<T>): Promise<T> {
    this.#doubts += 1;
    this.#keys.clear();
    try {
      await setImmediate();
      return await work();
    } finally {
      this.#doubts -= 1;
    }
  }
}
