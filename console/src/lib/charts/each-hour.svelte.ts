import { untrack } from "svelte";
import type { Clock } from "../time/clock.svelte.ts";
import type { trpc } from "../trpc.ts";

const spreadMs = 5000; // because all browsers reach the full hour simultaneously
const retryMs = 60_000;

/**
 * Reads a page's hourly data again after each full hour, because the counts of the past hour were read while it was
 * running. In a hidden tab it waits until the tab is visible. A failed reading is retried each minute; until then the
 * page shows the earlier data. Call it while a component starts.
 */
export function eachHour(clock: Clock, read: (api: typeof trpc) => Promise<unknown>): void {
  let readIn = untrack(() => clock.hour);
  $effect(() => {
    const { hour, isSeen } = clock;
    if (hour === readIn || !isSeen) return;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout>;
    const attempt = async () => {
      try {
        const { trpc } = await import("../trpc.ts");
        await read(trpc);
        readIn = hour;
      } catch {
        if (!isOver) timer = setTimeout(attempt, retryMs);
      }
    };
    timer = setTimeout(attempt, Math.random() * spreadMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  });
}
