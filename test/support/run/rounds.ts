/** `ROUNDS=long` is set by `npm run test:long`, `ROUNDS=all` by `npm run test:crash`; `npm test` sets nothing. */
const asked = process.env["ROUNDS"] ?? "short";

interface Rounds<T> {
  readonly short: T;
  readonly long: T;
  /** Default: `long`. */
  readonly all?: T;
}

/** How much of a long test to run: seconds in `npm test`, minutes in `test:long`, hours in `test:crash`. */
export function rounds<T>({ short, long, all = long }: Rounds<T>): T {
  if (asked === "short") return short;
  if (asked === "long") return long;
  if (asked === "all") return all;
  throw new Error(`ROUNDS is short, long or all, not ${asked}.`);
}
