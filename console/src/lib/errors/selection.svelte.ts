/** Checked rows of a list. Checks survive an action and the reading of a new page of the same list. */
export class Selection {
  #ids = $state.raw<ReadonlySet<string>>(new Set());
  /** Where a range begins. */
  #anchor: string | undefined;

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** The checked ones among `ids`, in their order. */
  among(ids: readonly string[]): string[] {
    return ids.filter((id) => this.#ids.has(id));
  }

  toggle(id: string): void {
    const ids = new Set(this.#ids);
    if (!ids.delete(id)) ids.add(id);
    this.#ids = ids;
    this.#anchor = id;
  }

  /** Checks everything from the last toggled row, where it is still in the list, to `id`. */
  extendTo(id: string, order: readonly string[]): void {
    this.#anchor ??= id;
    const to = order.indexOf(id);
    const from = order.includes(this.#anchor) ? order.indexOf(this.#anchor) : to;
    const range = order.slice(Math.min(from, to), Math.max(from, to) + 1);
    this.#ids = new Set([...this.#ids, ...range]);
  }

  setAll(ids: readonly string[]): void {
    this.#ids = new Set(ids);
  }

  clear(): void {
    this.#ids = new Set();
  }
}
