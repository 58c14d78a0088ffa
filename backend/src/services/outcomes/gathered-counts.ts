/** Different counts that wait to be written; a storm has a handful, and what comes on top of this many is not counted. */
const countsWaiting = 10_000;

/** Counts that are gathered in memory and written together, as a write for each would help a flood. */
export class GatheredCounts<Count> {
  readonly #add: (to: Count, count: Count) => void;
  readonly #write: (counts: readonly Count[]) => Promise<void>;
  #counts = new Map<string, Count>();
  #saving: Promise<void> = Promise.resolve();

  /** `add` adds to a count another one of the same name, `write` adds counts to those that are stored. */
  constructor(parts: { add: (to: Count, count: Count) => void; write: (counts: readonly Count[]) => Promise<void> }) {
    this.#add = parts.add;
    this.#write = parts.write;
  }

  /** `name` is equal for what is counted together. The count is kept and added to. */
  count(name: string, count: Count): void {
    const counted = this.#counts.get(name);
    if (counted) this.#add(counted, count);
    else if (this.#counts.size < countsWaiting) this.#counts.set(name, count);
  }

  /** Writes what was counted; called each second. What cannot be written is written with the next. */
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
