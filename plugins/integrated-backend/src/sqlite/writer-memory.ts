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
 * `whileForgotten`.
 */
export class KnownRows {
  readonly #keys = new Set<string>();
  #forgetting = 0;

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  add(keys: Iterable<string>): void {
    if (this.#forgetting > 0) return;
    if (this.#keys.size >= knownRowsKept) this.#keys.clear();
    for (const key of keys) this.#keys.add(key);
  }

  clear(): void {
    this.#keys.clear();
  }

  /**
   * Knows nothing while `work` removes rows: a batch that was put together before waits ahead of it for the one writer, and one
   * that is put together meanwhile writes all its rows.
   */
  async whileForgotten<T>(work: () => Promise<T>): Promise<T> {
    this.#forgetting++;
    this.#keys.clear();
    try {
      return await work();
    } finally {
      this.#forgetting--;
    }
  }
}
