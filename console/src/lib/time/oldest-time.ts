/** The oldest of some times in ISO 8601; undefined where there is none. */
export const oldestTime = (...times: readonly (string | undefined)[]): string | undefined =>
  times.filter((time) => time !== undefined).toSorted((a, b) => Date.parse(a) - Date.parse(b))[0];
