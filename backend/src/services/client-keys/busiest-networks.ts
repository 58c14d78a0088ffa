/** Networks that are counted at a time. */
const networksCounted = 100;

/**
 * The networks that send most, out of any number of them, in bounded memory: the Space-Saving algorithm (Metwally,
 * Agrawal, El Abbadi, 2005). A network that finds no room replaces the one with the smallest count and inherits that
 * count for comparison; its own quantity is kept apart. So a network that sends more than a hundredth of all is never
 * missed, however many others send beside it.
 */
export class BusiestNetworks {
  readonly #counts = new Map<string, { quantity: number; inherited: number }>();
  #total = 0;
  /** No count is lower: a replacement counts more than the network that it replaced. */
  #least = 0;

  /** The empty name stands for unknown networks. */
  add(network: string, quantity: number): void {
    this.#total += quantity;
    if (network === "") return;
    const counted = this.#counts.get(network);
    if (counted) {
      counted.quantity += quantity;
      return;
    }
    const inherited = this.#counts.size < networksCounted ? 0 : this.#dropLeast();
    this.#counts.set(network, { quantity: quantity + inherited, inherited });
  }

  /** The quantities of the `most` largest senders, and under the empty name everything not known to be theirs. */
  counts(most: number): [network: string, quantity: number][] {
    const own = Array.from(
      this.#counts,
      ([network, { quantity, inherited }]) => [network, quantity - inherited] as const,
    );
    const busiest = own.toSorted(([, a], [, b]) => b - a).slice(0, most);
    const rest = this.#total - busiest.reduce((sum, [, quantity]) => sum + quantity, 0);
    return [...busiest, ["", rest] as const].flatMap(([network, quantity]) =>
      quantity > 0 ? [[network, quantity]] : [],
    );
  }

  /**
   * Drops the network with the smallest count and returns that count. Usually it is one of the first; a scan of all
   * takes 2 microseconds.
   */
  #dropLeast(): number {
    let [name, least] = ["", Infinity];
    for (const [network, { quantity }] of this.#counts) {
      if (quantity < least) [name, least] = [network, quantity];
      if (least === this.#least) break;
    }
    this.#counts.delete(name);
    this.#least = least;
    return least;
  }
}
