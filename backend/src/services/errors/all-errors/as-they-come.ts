/** Yields the values of promises in the order in which they resolve; fails as soon as one of them does. */
export async function* asTheyCome<T>(promises: Iterable<Promise<T>>): AsyncGenerator<T> {
  const waiting = new Map([...promises].map((promise, n) => [n, promise.then((value) => ({ n, value }))]));
  while (waiting.size > 0) {
    const { n, value } = await Promise.race(waiting.values());
    waiting.delete(n);
    yield value;
  }
}
