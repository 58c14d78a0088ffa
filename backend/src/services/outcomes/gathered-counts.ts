/** The most different counts that wait to be written. A storm has a handful; further counts are dropped. */
const countsWaiting = 10_000;

/**
 * Counts gathered in memory and written together: a write per count would let a flood of requests become a flood of
 * writes.
 */
export class GatheredCounts<Count> {
  readonly #add: (to: Count, count: Count) => void;
  readonly #write: (counts: readonly Count[]) => Promise<void>;
  #counts = new Map<string, Count>();
  #saving: Promise<void> = Promise.resolve();

  /** `add` adds a count to another with the same name, `write` adds counts to the stored counts. */
  constructor(parts: { add: (to: Count, count: Count) => void; write: (counts: readonly Count[]) => Promise<void> }) {
    this.#add = parts.add;
    this.#write = parts.write;
  }

  /** Adds up counts with the same `name`. The given count is kept and modified. */
  count(name: string, count: Count): void {
    const counted = this.#counts.get(name);
    if (counted) this.#add(counted, count);
    else if (this.#counts.size < countsWaiting) this.#counts.set(name, count);
  }

  /** Writes the counts; called each second. After a failure the next call writes them. */
  save(): Promise<void> {
    const saved = this.#saving.then(() => this.#save());
    this.#saving = saved.catch(() => undefined); // the caller gets the failure; the next save tries again
    return saved;
  }

  async #save(): Promise<void> {
    if (this.#counts.size === 0) return;
    const counts = this.#counts;
    this.#counts = new Map();
    try {
      await this.#write([...counts.values()]);
    } catch (error) {
      for (const [name, count] of counts) this.count(name, count);
      throw error;
    }
  }
}
