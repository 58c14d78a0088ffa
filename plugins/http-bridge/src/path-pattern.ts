/**
 * Operations by their paths, as the document lists them. A fixed part comes before a `:name` in its place, so that the first
 * pattern that matches an address is the one that means it: `/errors/batch` before `/errors/:error_id`.
 */
export const inPathOrder = <O extends { readonly path: string; readonly verb: string }>(operations: readonly O[]) =>
  operations.toSorted(
    (one, other) => comparePaths(one.path, other.path) || verbs.indexOf(one.verb) - verbs.indexOf(other.verb),
  );

const verbs = ["GET", "POST", "PUT", "PATCH", "DELETE"];

function comparePaths(path: string, otherPath: string): number {
  const [parts, others] = [path.split("/"), otherPath.split("/")];
  for (const [at, part] of parts.entries()) {
    const other = others[at];
    if (part === other) continue;
    if (other === undefined) return 1;
    return Number(part.startsWith(":")) - Number(other.startsWith(":")) || (part < other ? -1 : 1);
  }
  return parts.length - others.length;
}

/** The pattern of a path in which `:name` stands for one part; a trailing slash may follow. */
export function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/:(\w+)/g, "(?<$1>[^/]+)").replaceAll(".", "\\.")}/?$`);
}
