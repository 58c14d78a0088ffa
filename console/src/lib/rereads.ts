import type { trpc } from "./trpc.ts";

/** Reads what changed without being named: one reading at a time, and what is asked for meanwhile by one more. */
export function rereads(read: (api: typeof trpc) => Promise<void>): (api: typeof trpc) => Promise<void> {
  let last: Promise<void> | undefined;
  let isWaiting = false;
  return async (api) => {
    if (isWaiting) return;
    isWaiting = true;
    await last;
    isWaiting = false;
    last = read(api).catch(() => undefined); // what changes next asks again
  };
}
