import { setTimeout } from "node:timers/promises";

/** The longest pause, so that a stop of the service need not wait for it. */
const longestPauseMs = 100;

/**
 * Runs a piece of work on the one writer, and then leaves the writer to ingestion for twice as long as the work took.
 */
export async function inBackground<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  await setTimeout(Math.min(2 * (performance.now() - startedAt), longestPauseMs));
  return result;
}
