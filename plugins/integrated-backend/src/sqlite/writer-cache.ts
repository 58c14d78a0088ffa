import { setImmediate } from "node:timers/promises";
import type { KnownRowsOfError, NewRow } from "../storing/batch-parameters.ts";

/** Assigns the row ids of events; this process is the only writer of the file. */
export class EventRowIds {
  #last: number;

  constructor(last: number) {
    this.#last = last;
  }

  next(): number {
    return ++this.#last;
  }

  /** The last assigned row id. */
  get last(): number {
    return this.#last;
  }
}

/**
 * Maximum rows in memory. A row takes 96 bytes among twelve rows of its error and 374 alone, so an error's first row
 * counts twice: at most 9 MB. A value cut from a longer text does not keep that text in memory, measured with 8 kB.
 */
const knownRowsKept = 50_000;

/**
 * Tags with a row that already has the present day and need not be written again: most events of an error repeat them.
 * Grouped by error because an event looks up a dozen tags: hashing names that begin with the error's took 4
 * microseconds more. Retention deletes only rows of days long past, so the cache remains correct; code that deletes
 * other rows uses `forgetAround`.
 */
export class KnownRows {
  readonly #rows = new Map<string, RowsOfError>();
  #count = 0;
  #doubts = 0;

  of(errorAndDay: string): KnownRowsOfError {
    return (this.#doubts === 0 ? this.#rows.get(errorAndDay) : undefined) ?? none;
  }

  add(rows: Iterable<NewRow>): void {
    if (this.#doubts > 0) return;
    if (this.#count >= knownRowsKept) this.clear();
    for (const [errorAndDay, name, value] of rows) {
      let ofError = this.#rows.get(errorAndDay);
      if (!ofError) {
        ofError = new RowsOfError();
        this.#rows.set(errorAndDay, ofError);
        this.#count += 1;
      }
      ofError.add(name, value);
      this.#count += 1;
    }
  }

  clear(): void {
    this.#rows.clear();
    this.#count = 0;
  }

  /**
   * Runs work that deletes rows of the cache. A batch that was assembled earlier, and leaves out known rows, is in the
   * writer's queue ahead of this work after one turn of the event loop. Batches assembled meanwhile come after this
   * work and leave nothing out.
   */
  async forgetAround<T>(work: () => Promise<T>): Promise<T> {
    this.#doubts += 1;
    this.clear();
    try {
      await setImmediate();
      return await work();
    } finally {
      this.#doubts -= 1;
    }
  }
}

/**
 * Keyed by value, because two names rarely share a value: an event's texts are looked up without building new texts.
 */
class RowsOfError implements KnownRowsOfError {
  readonly #names = new Map<string, string>();
  /** The rows of values that also have another name. */
  #others: Set<string> | undefined;

  has(name: string, value: string): boolean {
    const first = this.#names.get(value);
    return first === name || (first !== undefined && this.#others?.has(together(name, value)) === true);
  }

  add(name: string, value: string): void {
    const first = this.#names.get(value);
    if (first === undefined) this.#names.set(value, name);
    else if (first !== name) (this.#others ??= new Set()).add(together(name, value));
  }
}

const none: KnownRowsOfError = new RowsOfError();

const together = (name: string, value: string) => `${name}\0${value}`;
