import { setTimeout as delay } from "node:timers/promises";
import { stretched } from "./deadlines.ts";

export interface UntilOptions {
  /** On a quiet machine; `deadlineFactor` makes it longer. Default 10,000. */
  readonly deadlineMs?: number;
  /** Default 20. */
  readonly everyMs?: number;
}

/** Waits until `probe` gives something truthy and returns it; after the deadline it fails and says what was awaited. */
export async function until<T>(
  awaited: string,
  probe: () => T | Promise<T>,
  { deadlineMs = 10_000, everyMs = 20 }: UntilOptions = {},
): Promise<Exclude<Awaited<T>, false | 0 | "" | null | undefined>> {
  const allowedMs = stretched(deadlineMs);
  const deadline = performance.now() + allowedMs;
  for (;;) {
    const value = await probe();
    if (value) return value as Exclude<Awaited<T>, false | 0 | "" | null | undefined>;
    if (performance.now() > deadline) throw new Error(`waited ${allowedMs} ms in vain for ${awaited}`);
    await delay(everyMs);
  }
}
