/** Parts at the end of a path that are compared: thousands of files with long paths must not take long. */
const partsCompared = 8;

/** The last parts of a path that a frame or a version control names, without what stands before the path of a file. */
export function pathParts(path: string): string[] {
  const plain = path
    .replaceAll("\\", "/")
    .replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, "") // scheme and host, also of webpack and `app:///`
    .replace(/[?#].*$/, "");
  const parts = plain.split("/").filter((part) => part !== "" && part !== "." && part !== "~" && part !== "..");
  return parts.slice(-partsCompared);
}

/**
 * How many parts at their ends a frame's path and a changed file have in common; 0 where they are no match. A name alone
 * says little, as many folders have an `index.js`: it matches only between files at the root (triage.md 9, sentry#38492), of
 * a full path below one folder, such as `/app/server.js`.
 */
export function sharedSuffix(frame: readonly string[], changed: readonly string[]): number {
  let shared = 0;
  while (shared < Math.min(frame.length, changed.length) && frame.at(-1 - shared) === changed.at(-1 - shared))
    shared += 1;
  if (shared !== 1) return shared;
  return changed.length === 1 && frame.length <= 2 ? 1 : 0;
}
