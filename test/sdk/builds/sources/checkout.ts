interface Item {
  readonly name: string;
  readonly price: number;
}

/** The sum of the prices; a negative one is an error of the test. */
export function totalOf(items: readonly Item[]): number {
  const total = items.reduce((sum, { price }) => sum + price, 0);
  if (total < 0) throw new RangeError(`the total is ${total}`); // thrown: typescript
  return total;
}

/** The text of a bill. */
export function billOf(items: readonly Item[]): string {
  const names = items.map(({ name }) => name).join(", ");
  return `${names}: ${totalOf(items).toFixed(2)}`;
}
