import type { trpc } from "../trpc.ts";

/**
 * Reads a list again after changes without names: one reading at a time, and one more for all requests meanwhile.
 * Create it while a component or an effect starts; `signal` ends the reading with it. `restMs` is the minimum time
 * between the end of a reading and the start of the next.
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
