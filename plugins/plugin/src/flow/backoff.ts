/** The wait after so many failures in a row, at least one: it doubles with each of them, up to the longest. */
export function backoff(failures: number, { firstMs, longestMs }: { firstMs: number; longestMs: number }): number {
  return Math.min(firstMs * 2 ** (failures - 1), longestMs);
}

/** 50 to 100 % of a wait, so that those who failed together do not try again together. `random`: from 0 to 1. */
export const jittered = (ms: number, random: number = Math.random()): number => ms * (0.5 + random / 2);
