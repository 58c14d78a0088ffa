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

  /** The last one assigned. */
  get last(): number {
    return this.#last;
  }
}

/**
 * Rows kept. A row takes 96 bytes among twelve of its error and 374 alone, so an error's first one counts twice: at
 * most 9 MB. A value that was cut from a longer text does not keep that text: measured with 8 kB.
 */
const knownRowsKept = 50_000;

/**
 * Tags whose row already has the present day, so that it need not be written again: most events of an error
 * repeat them. By error, as an event asks for a dozen: hashing names that begin with the error's took 4 microseconds
 * more. Retention deletes only rows of days long past, so the cache stays true; code that deletes others does so in
 * `forgetAround`.
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
   * Runs work that deletes rows of the cache. A batch that was assembled before, and leaves out known rows, is in the
   * writer's queue ahead of this work after one turn of the event loop; batches assembled meanwhile come after it and
   * leave nothing out.
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

/** By value, as two names rarely share one: an event's own texts are looked up, and none is put together for it. */
class RowsOfError implements KnownRowsOfError {
  readonly #names = new Map<string, string>();
  /** The rows of values that have another name too. */
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
