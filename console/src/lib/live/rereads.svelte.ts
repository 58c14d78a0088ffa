import type { trpc } from "../trpc.ts";

/**
 * Reads a list again after changes that were not named: one reading at a time, and one more for all requests meanwhile.
 * For the initialisation of a component or an effect: `signal` ends the reading with it.
 * `restMs`: the least time between the end of a reading and the start of the next.
 */
export function rereads(
  read: (api: typeof trpc, signal: AbortSignal) => Promise<void>,
  restMs = 0,
): (api: typeof trpc) => Promise<void> {
  let last: Promise<void> | undefined;
  let isWaiting = false;
  const over = new AbortController();
  $effect(() => () => over.abort());
  return async (api) => {
    if (isWaiting) return;
    isWaiting = true;
    await last;
    isWaiting = over.signal.aborted;
    if (isWaiting) return;
    last = read(api, over.signal)
      .catch(() => undefined) // the next change asks again
      .then(() => (restMs > 0 ? new Promise<void>((resolve) => setTimeout(resolve, restMs)) : undefined));
  };
}
