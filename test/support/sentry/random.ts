/** Random choices that a repeated test makes again. */
export interface Random {
  /** From 0 to `count` - 1. */
  below(count: number): number;
  pick<T>(list: readonly T[]): T;
}

/** Choices from a list of numbers below 1. After its end all numbers are 0, the plainest choice. */
export function randomOf(shares: readonly number[]): Random {
  let next = 0;
  const below = (count: number) => Math.floor((shares[next++] ?? 0) * count);
  return {
    below,
    pick<T>(list: readonly T[]): T {
      const picked = list[below(list.length)];
      if (picked === undefined) throw new Error("nothing to pick from");
      return picked;
    },
  };
}

/** Numbers below 1 that are the same in each run (mulberry32). */
export function randomNumbers(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
