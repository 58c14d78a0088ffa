import type { ChangedAnswer } from "./fake-external.ts";

/** Repeats each object of each list in the answer, as some systems do. */
export const repeatedItems: ChangedAnswer = { change: twice };

function twice(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(twice).flatMap((item) => (isObject(item) ? [item, item] : [item]));
  return isObject(json) ? Object.fromEntries(Object.entries(json).map(([key, value]) => [key, twice(value)])) : json;
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
