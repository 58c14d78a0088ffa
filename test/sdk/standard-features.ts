import type { Feature } from "./feature.ts";
import { getStarted } from "./get-started.ts";
import { goesOnAfter413, waitsAfter429 } from "./limits.ts";
import { reportFeatures, type Expected } from "./report-features.ts";

/** The features of an SDK with all three programs in its folder. */
export function standardFeatures(version: string, expected: Expected): readonly Feature[] {
  return [...reportFeatures(version, expected), goesOnAfter413, waitsAfter429, getStarted];
}
