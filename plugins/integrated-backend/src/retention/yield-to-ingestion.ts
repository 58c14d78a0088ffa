import { setTimeout } from "node:timers/promises";

/** A pause is no longer than this, so that whoever stops the service need not wait for it. */
const longestPauseMs = 100;

/** Does a piece of work with the one writer, and then leaves the writer to ingestion for twice as long as that took. */
export async function inBackground<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  await setTimeout(Math.min(2 * (performance.now() - startedAt), longestPauseMs));
  return result;
}
