import { counted, fullNumber } from "../../number-format.ts";

/** The result of an undo of `wanted` errors, of which some could not be restored. */
export function undoneWords(left: number, wanted: number): string {
  if (left === 0) return "Undone.";
  const were = left === 1 ? "was skipped because it was" : "were skipped because they were";
  return `Undone, but ${fullNumber(left)} of ${counted(wanted, "error")} ${were} changed or deleted since.`;
}
