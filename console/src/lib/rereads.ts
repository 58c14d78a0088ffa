import type { trpc } from "./trpc.ts";

/** Reads what changed without being named: one reading at a time, and what is asked for meanwhile by one more. */
export function rereads(read: (api: typeof trpc) => Promise<void>): (api: typeof trpc) => void {
  let last = Promise.resolve();
  let isWaiting = false;
  return (api) => {
    if (isWaiting) return;
    isWaiting = true;
    last = last
      .then(() => {
        isWaiting = false;
        return read(api);
      })
      .catch(() => undefined); // what changes next asks again
  };
}
