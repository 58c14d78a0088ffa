import { setTimeout as delay } from "node:timers/promises";
import { stretched } from "./deadlines.ts";

export interface UntilOptions {
  /** The deadline on a quiet machine; `deadlineFactor` lengthens it. Default: 10,000. */
  readonly deadlineMs?: number;
  /** Default: 20. */
  readonly everyMs?: number;
}

/**
 * Waits until `probe` returns something truthy, and returns it. After the deadline it fails and says what it waited
 * for.
 */
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
