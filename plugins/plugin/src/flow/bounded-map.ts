/** A map of so many entries at most: the one that was set longest ago makes room for a new one. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #most: number;
  readonly #onDropped: (value: V) => void;

  constructor(most: number, onDropped: (value: V) => void = () => undefined) {
    super();
    this.#most = most;
    this.#onDropped = onDropped;
  }

  /** The entry becomes the newest one, also where it was there. */
  override set(key: K, value: V): this {
    this.delete(key);
    if (this.size >= this.#most) this.#dropOldest();
    return super.set(key, value);
  }

  #dropOldest(): void {
    for (const [oldest, dropped] of this) {
      this.delete(oldest);
      this.#onDropped(dropped);
      return;
    }
  }
}
