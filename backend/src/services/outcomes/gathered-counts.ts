/** The most different counts that wait to be written; a storm has a handful, and further ones are not counted. */
const countsWaiting = 10_000;

/**
 * Counts that are gathered in memory and written together: one write per count would let a flood of requests become a
 * flood of writes.
 */
export class GatheredCounts<Count> {
  readonly #add: (to: Count, count: Count) => void;
  readonly #write: (counts: readonly Count[]) => Promise<void>;
  #counts = new Map<string, Count>();
  #saving: Promise<void> = Promise.resolve();

  /** `add` adds a count to another of the same name, `write` adds counts to the stored ones. */
  constructor(parts: { add: (to: Count, count: Count) => void; write: (counts: readonly Count[]) => Promise<void> }) {
    this.#add = parts.add;
    this.#write = parts.write;
  }

  /** Counts of the same `name` are added up. The count is kept and added to. */
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
