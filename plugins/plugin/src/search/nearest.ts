/** The most letters that are compared, because the cost grows with their square. */
const comparedLetters = 64;

const comparedNames = 1_000;

/**
 * The names most similar to the typed text, the nearest first: names that it begins or that begin it, and names one
 * typing error away. Case does not matter.
 */
export function nearest(typed: string, names: Iterable<string>, most = 3): string[] {
  const asked = typed.toLowerCase().slice(0, comparedLetters);
  if (asked === "") return [];
  const near: { name: string; distance: number }[] = [];
  let left = comparedNames;
  for (const name of names) {
    if (left-- === 0) break;
    const distance = distanceOf(asked, name.toLowerCase().slice(0, comparedLetters));
    if (distance !== undefined) near.push({ name, distance });
  }
  return near
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, most)
    .map(({ name }) => name);
}

/** Undefined if they are not similar. Names that contain the typed text come after other spellings of it. */
function distanceOf(asked: string, name: string): number | undefined {
  if (name === "") return undefined;
  const edits = editsBetween(asked, name);
  if (edits <= Math.max(1, Math.floor(Math.min(asked.length, name.length) / 3))) return edits;
  if (name.startsWith(asked)) return comparedLetters;
  if (asked.length > 2 && name.includes(asked)) return comparedLetters + 1;
  return name.length > 2 && asked.startsWith(name) ? comparedLetters + 2 : undefined;
}

/**
 * The number of letters to insert, delete, replace or swap with the next (the restricted Damerau-Levenshtein distance).
 */
function editsBetween(one: string, other: string): number {
  let [before, last] = [[] as number[], Array.from({ length: other.length + 1 }, (_, n) => n)];
  for (let n = 1; n <= one.length; n++) {
    const next = [n];
    for (let m = 1; m <= other.length; m++) {
      const isSame = one[n - 1] === other[m - 1];
      let edits = Math.min((last[m] ?? 0) + 1, (next[m - 1] ?? 0) + 1, (last[m - 1] ?? 0) + (isSame ? 0 : 1));
      const isSwapped = n > 1 && m > 1 && one[n - 1] === other[m - 2] && one[n - 2] === other[m - 1];
      if (isSwapped) edits = Math.min(edits, (before[m - 2] ?? 0) + 1);
      next.push(edits);
    }
    [before, last] = [last, next];
  }
  return last[other.length] ?? 0;
}
