import * as fc from "fast-check";

/** Something that must hold of everything that can be generated. */
export interface Claim {
  readonly claim: string;
  readonly property: Property;
}

export type Property = fc.IRawProperty<unknown[]>;

export interface CheckOptions {
  readonly runs: number;
  /** Repeats the runs. */
  readonly seed: number;
}

/** Tries a property so many times; throws what went wrong with the smallest input of which it does not hold. */
export async function check(property: Property, { runs, seed }: CheckOptions): Promise<void> {
  const { failed, numRuns, numShrinks, errorInstance, counterexample } = await fc.check(property, {
    numRuns: runs,
    seed,
  });
  if (!failed) return;
  const input = fc.stringify(counterexample).slice(0, 2_000);
  throw new Error(
    `${String(errorInstance)}\nrun ${numRuns} of seed ${seed}, made smaller ${numShrinks} times: ${input}`,
    {
      cause: errorInstance,
    },
  );
}
