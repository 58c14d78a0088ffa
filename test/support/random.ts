/** A sequence of numbers that a seed repeats. */
export interface Random {
  /** From 0 to `count` - 1. */
  below(count: number): number;
  pick<T>(list: readonly T[]): T;
}

/** The generator mulberry32: 32 bits of state are plenty to choose what a test tries. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const below = (count: number) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000) * count);
  };
  return {
    below,
    pick<T>(list: readonly T[]): T {
      const picked = list[below(list.length)];
      if (picked === undefined) throw new Error("nothing to pick from");
      return picked;
    },
  };
}
