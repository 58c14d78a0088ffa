/** The thread pool has four threads; each waiting compression takes 300 kB. */
const lanes = 8;

/** Runs work for each item, some concurrently. */
export async function concurrently<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const lane = async () => {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
