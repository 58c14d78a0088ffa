/** Networks that are counted apart at a time. */
const networksCounted = 100;

/**
 * The networks that send most, out of any number of them, in bounded memory: space-saving (Metwally, Agrawal, El Abbadi,
 * 2005). A network that finds no room takes the place of the one that sent least, and inherits its count to be
 * compared by; what it sent itself is known. So a network that sends more than a hundredth of all is never missed,
 * however many others send beside it.
 */
export class BusiestNetworks {
  readonly #counts = new Map<string, { quantity: number; inherited: number }>();
  #total = 0;
  /** No count is lower: what takes a place counts more than what had it. */
  #least = 0;

  /** The empty name stands for those that are not known. */
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

  /** What the `most` networks sent that sent most, and under the empty name what is not known to be theirs. */
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

  /** The count of the one that is dropped. Most often one of the first has the least, and a look at all takes 2 microseconds. */
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
